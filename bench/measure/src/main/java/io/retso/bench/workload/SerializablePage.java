package io.retso.bench.workload;

import io.retso.report.MarkedPage;
import io.retso.report.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts what benchmarks of workloads have found into a page of Markdown, which has marks of their
 * names. What was not measured stays as it is.
 */
public final class SerializablePage {
  private static final List<String> NAMES = List.of("smallbank", "sibench", "readers");

  /** Rounds of one result, at most: those of the next one are further ones. */
  private static final int ROUNDS_MAX = 1000;

  private SerializablePage() {}

  /**
   * Publishes all results of some directories. Those of SmallBank count as one, of others the last
   * one counts.
   *
   * @return the files that were written
   * @throws IOException if files cannot be read or written, or the page lacks a mark
   */
  public static List<Path> publish(List<Path> from, Path page) throws IOException {
    MarkedPage open = MarkedPage.open(page);
    for (String name : NAMES) {
      List<Result> all = new ArrayList<>();
      for (Path directory : from) {
        Path file = directory.resolve(name + ".json");
        if (Files.exists(file)) {
          all.add(Result.read(file));
        }
      }
      if (!all.isEmpty()) {
        open.put(name.equals("smallbank") ? merged(all) : all.get(all.size() - 1).asCommand());
      }
    }
    return open.write();
  }

  /** Ratios are taken within rounds, so rounds of different results remain different. */
  private static Result merged(List<Result> all) {
    List<SmallBankRun> runs = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      int before = i * ROUNDS_MAX;
      all.get(i)
          .runs(SmallBankRun.class)
          .forEach(run -> runs.add(run.inRound(before + run.round())));
    }
    Result.Builder result = Result.merged(all);
    SmallBankResult.describe(result, runs);
    return result.end();
  }
}
