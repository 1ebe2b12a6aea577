#!/bin/sh
# check-model-library.sh LIBRARY NM READELF
# A model library exports its entry and the pool, and needs libc (and libm)
# only: no symbol of another library, in particular of libstdc++.
set -eu
library=$1 nm=$2 readelf=$3
failed=0

exports=$("$nm" -D --defined-only "$library" | awk '{print $2 $3}' | sort | tr '\n' ' ')
expected="Tampc_entry_v1 uampc_pool_v1 "
if [ "$exports" != "$expected" ]; then
  echo "$library exports: $exports- expected: $expected"
  failed=1
fi

needed=$("$readelf" -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v -e '^libc\.so\.6$' -e '^libm\.so\.6$' || true)
if [ -n "$needed" ]; then
  echo "$library needs: $needed"
  failed=1
fi

# Weak ones come from crti/crtbegin and may stay unresolved.
foreign=$("$nm" -D --undefined-only "$library" | awk '$1 == "U" && $2 !~ /@GLIBC_/ {print $2}')
if [ -n "$foreign" ]; then
  echo "$library refers to symbols outside libc:"
  echo "$foreign"
  failed=1
fi
exit $failed
