package io.retso.bench.workload;

import io.retso.report.MarkedPage;
import io.retso.report.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Puts what benchmarks have found into a page of Markdown, which has marks of their names. What was
 * not measured stays as it is, and what has no marks is left out.
 */
public final class SerializablePage {
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
    for (String name : names(from, open)) {
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

  /** Results for which the page has marks; all of them if it has none, to be refused. */
  private static Set<String> names(List<Path> from, MarkedPage page) throws IOException {
    Set<String> all = new TreeSet<>();
    for (Path directory : from) {
      try (Stream<Path> files = Files.list(directory)) {
        files
            .map(file -> file.getFileName().toString())
            .filter(file -> file.endsWith(".json"))
            .forEach(file -> all.add(file.replace(".json", "")));
      }
    }
    Set<String> marked = new TreeSet<>(all);
    marked.removeIf(name -> !page.has(name));
    return marked.isEmpty() ? all : marked;
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
