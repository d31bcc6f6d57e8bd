package io.retso.bench.options;

import picocli.CommandLine.Option;

/** How a benchmark in rounds goes on after it was stopped. */
public final class ContinueOption {
  @Option(
      names = "--continue",
      description =
          "Goes on with the run whose measurements are in --out, which was stopped, or is to have"
              + " more --rounds; all else must be as it was: flags, version and machine. If there"
              + " is none, it begins.")
  public boolean isGiven;
}
