#!/usr/bin/env bash
# What the library and the program load:   links_test.sh FILE...
#
# Mortise is BSD-3-Clause and its core links no GPL library, no MPI, no CUDA, no Python. Two lists: what we ask for
# ourselves, and what those bring along. docs/architecture.md has the licences.
set -euo pipefail

system='libc libm libdl libpthread librt libstdc\+\+ libgcc_s ld-linux-[a-z0-9-]+ linux-vdso'
# MIT: yaml-cpp, fmt, spdlog, pugixml. Apache-2.0: oneTBB. BSD: HDF5, SUNDIALS, xxHash. zlib: minizip, zlib.
direct="$system libmortise libhdf5_serial libhdf5_serial_hl libyaml-cpp libfmt libspdlog libpugixml libminizip libz libtbb libxxhash libsundials_[a-z]+"
# libhdf5_serial of Debian reads remote files through libcurl, which brings the rest. Permissive: curl, OpenSSL 3
# (Apache-2.0), zlib, libaec/libsz, nghttp2, ssh2, psl, krb5, com_err (MIT notice in its sources), OpenLDAP, SASL, zstd,
# brotli, p11-kit, libffi. LGPL, or LGPL-3+/GPL-2+ at the user's choice: idn2, unistring, gmp, nettle with hogweed, gnutls,
# tasn1, rtmp, keyutils. Shared libraries of the system all of them, none is GPL only.
hdf5='libcrypto libssl libcurl libsz libaec libz libnghttp2 libssh2 libpsl libgssapi_krb5 libkrb5 libk5crypto
  libkrb5support libcom_err libldap libldap-[0-9.]+ liblber libldap_r-[0-9.]+ liblber-[0-9.]+ libsasl2 libzstd
  libbrotlidec libbrotlicommon libp11-kit libffi libresolv libidn2 libunistring libgmp libnettle libhogweed libgnutls
  libtasn1 librtmp libkeyutils'
forbidden='mpi|open-rte|open-pal|petsc|cuda|cublas|cusolver|cusparse|nvrtc|python|cholmod|spqr|umfpack|fftw|gsl|ginac|readline'

pattern() { echo "^($(echo $1 | tr ' ' '|'))(\.so.*|-[0-9.]+\.so.*)?$"; }
allowed_direct=$(pattern "$direct")
allowed=$(pattern "$direct $hdf5")
status=0
complain() { echo "$*"; status=1; }

for file in "$@"; do
  if [[ $file == *.a ]]; then echo "$file: static, links nothing itself"; continue; fi
  asked=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  loaded=$(ldd "$file" | awk '{print $1}' | xargs -n 1 basename)
  for name in $asked; do
    [[ $name =~ $allowed_direct ]] || complain "$file links $name, which is not on the list of what Mortise links"
  done
  for name in $loaded; do
    if [[ $name =~ $forbidden ]]; then
      complain "$file loads $name: no MPI, CUDA, Python, PETSc or GPL library in the core"
    elif [[ ! $name =~ $allowed ]]; then
      complain "$file loads $name, which is on no list: look up its licence, then add it to this script"
    fi
  done
  if ldd "$file" | grep 'not found'; then complain "$file: libraries are missing"; fi
  echo "$(basename "$file"): asks for" $asked "($(wc -w <<<"$loaded") loaded in all)"
done
exit $status
