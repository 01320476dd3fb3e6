# SPDX-License-Identifier: ISC
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation rec {
  pname = "kst-tools";
  version = "0.1.0";
  src = ../..;

  nativeBuildInputs = with pkgs; [ pkg-config makeWrapper ];
  buildInputs = with pkgs; [ pcre2 elfutils zlib xz zstd lz4 libiberty xxHash ];
  makeFlags = [ "PREFIX=$(out)" ];
  enableParallelBuilding = true;

  doCheck = true;
  checkPhase = ''
    sh tests/golden.sh kst-clean
    sh tests/golden.sh kst-fold
  '';

  postInstall = ''
    wrapProgram $out/bin/kst-batch --suffix PATH : ${
      pkgs.lib.makeBinPath (with pkgs; [ parallel zstd xz gzip ])
    }
  '';

  meta = with pkgs.lib; {
    description = "Flame graphs of kernels that have no profiler inside";
    license = licenses.isc;
    platforms = platforms.linux;
    mainProgram = "kst";
  };
}
