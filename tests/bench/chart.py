"""What peers.py measured, as a picture.

chart.py RESULTS.json FILE.png
"""

import json
import math
import pathlib
import sys


def means(results: "list[dict]", threads: int, peers: "list[str]") -> "dict[str, float]":
    """Geometric means of peer's time / ampc's, each over the models that the peer runs,
    and of the better peer's as "better"."""
    logs = {}
    for _, times in by_model(results, threads):
        ratios = {peer: times[peer] / times["ampc"] for peer in peers if peer in times}
        if ratios:
            ratios["better"] = min(ratios.values())
        for peer, ratio in ratios.items():
            logs.setdefault(peer, []).append(math.log(ratio))
    return {peer: math.exp(sum(values) / len(values)) for peer, values in logs.items()}


def by_model(results: "list[dict]", threads: int) -> "list[tuple[str, dict]]":
    """For each model, the seconds of each library."""
    found = {}
    for row in results:
        if row["threads"] == threads:
            found.setdefault(row["model"], {})[row["library"]] = row["seconds"]
    return list(found.items())


def draw(results: "list[dict]", peers: "list[str]", file: pathlib.Path) -> None:
    """Bars of how many times ampc's time each peer takes, a row for each number of threads."""
    try:
        import matplotlib
    except ImportError:
        sys.exit("no chart: matplotlib is not installed here (see peers.py --setup)")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    counts = sorted({row["threads"] for row in results})
    if not counts:
        sys.exit("no chart: there are no results")
    figure, rows = pyplot.subplots(len(counts), 1, figsize=(11, 3.6 * len(counts)), squeeze=False)
    for axes, threads in zip(rows[:, 0], counts):
        models = by_model(results, threads)
        width = 0.8 / max(1, len(peers))
        for index, peer in enumerate(peers):
            bars = [
                (at + (index + 0.5) * width - 0.4, times[peer] / times["ampc"])
                for at, (_, times) in enumerate(models)
                if peer in times
            ]
            heights = [ratio - 1 for _, ratio in bars]  # From the line of equal times.
            places = [at for at, _ in bars]
            axes.bar(places, heights, width, bottom=1, label=peer, color=f"C{index}")
        axes.axhline(1, color="black", linewidth=1)
        axes.set_yscale("log", base=2)
        axes.yaxis.set_major_formatter("{x:g}x")
        axes.set_xticks(range(len(models)), [name for name, _ in models], rotation=20, ha="right")
        axes.set_title(f"Time of others / time of ampc, threads: {threads} (over 1: ampc is faster)")
        axes.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(file, dpi=120)
    pyplot.close(figure)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: chart.py RESULTS.json FILE.png")
    rows = json.loads(pathlib.Path(sys.argv[1]).read_text())["results"]
    libraries = list(dict.fromkeys(row["library"] for row in rows if row["library"] != "ampc"))
    draw(rows, libraries, pathlib.Path(sys.argv[2]))
