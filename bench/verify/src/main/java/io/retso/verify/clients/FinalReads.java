package io.retso.verify.clients;

import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.history.Isolation;
import io.retso.verify.history.Step;
import io.retso.verify.history.TimestampPair;
import io.retso.verify.lists.Action;
import io.retso.verify.lists.ListKey;
import io.retso.verify.lists.ListStore;
import io.retso.verify.lists.ListStore.CommitFailure;
import io.retso.verify.lists.ListStore.ListTransaction;
import io.retso.verify.lists.ListStore.Violation;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The end of a history: transactions read every list that any client tried to append to. Without
 * them an append that was lost last could go unnoticed. For one thread.
 *
 * @param isolation of these transactions
 * @param process of these transactions, in the history
 * @param together lists of a table that one of them reads, at most
 * @param attempts how often each is tried, at most
 */
public record FinalReads(
    ListStore store,
    HistoryRecorder recorder,
    Isolation isolation,
    long process,
    int together,
    int attempts) {
  private static final Pattern APPEND = Pattern.compile("\\[:append (\\d+) ");
  private static final String INVOKE = ", :type :invoke, ";
  private static final int GETS_MAX = 500;
  private static final long AGAIN_MILLIS = 300;

  /** The lists that transactions of these histories tried to append to. */
  public static SortedSet<Long> keys(List<Path> histories) throws IOException {
    SortedSet<Long> keys = new TreeSet<>();
    for (Path history : histories) {
      try (BufferedReader lines = Files.newBufferedReader(history, StandardCharsets.UTF_8)) {
        String line;
        while ((line = lines.readLine()) != null) {
          if (line.contains(INVOKE)) {
            Matcher appends = APPEND.matcher(line);
            while (appends.find()) {
              keys.add(Long.parseLong(appends.group(1)));
            }
          }
        }
      }
    }
    return keys;
  }

  /**
   * Reads all of them.
   *
   * @param byScan by a scan for each transaction; otherwise by gets
   * @throws IOException if that is not possible, not at the last attempt either
   */
  public void read(Collection<Long> numbers, boolean byScan) throws IOException, Violation {
    for (int table = 0; table < ListKey.TABLES; table++) {
      int wanted = table;
      List<ListKey> keys =
          numbers.stream().map(ListKey::ofNumber).filter(key -> key.table() == wanted).toList();
      for (List<ListKey> some : parts(keys, together)) {
        read(byScan ? List.of(new Action.Scan(some, false)) : gets(some));
      }
    }
  }

  private static <T> List<List<T>> parts(List<T> all, int size) {
    List<List<T>> parts = new ArrayList<>();
    for (int from = 0; from < all.size(); from += size) {
      parts.add(all.subList(from, from + Math.min(size, all.size() - from)));
    }
    return parts;
  }

  private static List<Action> gets(List<ListKey> keys) {
    return parts(keys, GETS_MAX).stream().<Action>map(Action.Get::new).toList();
  }

  private void read(List<Action> actions) throws IOException, Violation {
    for (int attempt = 1; ; attempt++) {
      try {
        once(actions);
        return;
      } catch (IOException e) {
        if (attempt == attempts || new StopSignal().await(AGAIN_MILLIS)) {
          throw e;
        }
      }
    }
  }

  private void once(List<Action> actions) throws IOException, Violation {
    recorder.invoke(process, isolation, steps(actions));
    TimestampPair timestamps = TimestampPair.NONE;
    try {
      ListTransaction tx = store.begin(isolation, false);
      timestamps = tx.timestamps();
      List<Step> done = done(tx, actions);
      tx.commit();
      recorder.ok(process, done, tx.timestamps());
    } catch (IOException | CommitFailure e) {
      recorder.fail(process, timestamps, e.toString());
      recorder.flush();
      throw e instanceof IOException failure
          ? failure
          : new IOException("the lists cannot be read in the end", e);
    }
  }

  private static List<Step> steps(List<Action> actions) {
    return actions.stream().flatMap(action -> action.steps().stream()).toList();
  }

  /** Rolls back what fails. */
  private static List<Step> done(ListTransaction tx, List<Action> actions)
      throws IOException, Violation {
    List<Step> done = new ArrayList<>();
    boolean isDone = false;
    try {
      for (Action action : actions) {
        List<long[]> lists = tx.run(action);
        for (int i = 0; i < lists.size(); i++) {
          done.add(Step.read(action.reads().get(i).number(), lists.get(i)));
        }
      }
      isDone = true;
      return done;
    } finally {
      if (!isDone) {
        tx.rollback();
      }
    }
  }
}
