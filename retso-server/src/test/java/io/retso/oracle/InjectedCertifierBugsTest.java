package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.retso.client.OracleClient;
import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import io.retso.oracle.SerialHistories.History;
import io.retso.protocol.Timestamps;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Known bugs of the rule of serializable transactions, each of which random histories must show.
 */
class InjectedCertifierBugsTest {
  private static final int SEEDS = 60;
  private static final int HISTORIES = 5_000;

  /** A rule that is broken, and how. */
  enum Bug {
    ROW_READS_LEAVE_NO_TRACE(
        "Certifier", "rows.setRead(batch.stripes, batch.writesEnd(i), batch.readsEnd(i)", "//"),
    RANGE_READS_LEAVE_NO_TRACE("Certifier", "granules.setRead(", "//"),
    RANGE_READS_ARE_NOT_JUDGED("Certifier", "    lookAtGranules(batch, i);", ""),
    RANGE_WRITES_ARE_FORGOTTEN(
        "rows/GranuleWrites", "words[at + NEXT] = commit;", "words[at + NEXT] = commit - 4;"),
    SAFE_SNAPSHOTS_DO_NOT_COUNT("Certifier", "safeSnapshot = timestamp;", ""),
    /** Readers start at 0 after a recovery. */
    RECOVERY_FORGETS_READERS("Replay", "certifier.clear(window.next());", ""),
    /** Replayed commits have their place where they committed. */
    RECOVERY_FORGETS_POSITIONS(
        "Replay", "window.issue(TransactionWindow.NO_TRANSACTION);", "window.issueCommit(0, 100);"),
    POSITION_IS_NOT_KEPT("TransactionWindow", "positionBehind << POSITION_SHIFT | kept", "kept"),
    /**
     * The slot of a commit is overwritten by a client that takes its timestamp for a transaction's.
     */
    POSITION_IS_OVERWRITTEN(
        "StatusOracle",
        "case TransactionWindow.NO_TRANSACTION, TransactionWindow.SAFE_SNAPSHOT -> {",
        "case TransactionWindow.NO_TRANSACTION, TransactionWindow.SAFE_SNAPSHOT -> {"
            + " window.setCommitted(sequence, 0, true);"),
    ROW_STRIPES_DO_NOT_AGE("Certifier", "rows.age(now);", "", Aged.class),
    GRANULE_STRIPES_DO_NOT_AGE("Certifier", "granules.age(now);", "", Aged.class),
    STRIPES_ARE_NOT_HELD(
        "rows/RowStripes",
        "words[FIRST + line + i] = CommittedMap.held(words[FIRST + line + i], now);\n      past",
        "past",
        Aged.class),
    /** The commit after it writes over the slot that has the position of a pivot. */
    POSITION_IS_WRITTEN_OVER(
        "TransactionWindow",
        "slots[slot] |= positionBehind",
        "slots[slot - 1 & mask] &= (1L << POSITION_SHIFT) - 1; slots[slot] |= positionBehind"),
    /** The last commit of a row is taken for the first one after the start. */
    NEWEST_CHANGE_ONLY("Certifier", "return commit - behind; //", "return commit - (1 << 20); //"),
    /** A transaction that is refused meets the same commit again. */
    THE_COMMIT_BEFORE_THE_START_COUNTS(
        "Certifier",
        "return sequence - (int) (start >>> Timestamps.GAP_BITS) > 0;",
        "return sequence - (int) (start >>> Timestamps.GAP_BITS) > -2;"),
    COMMITS_IN_THE_PAST_ARE_FORGOTTEN(
        "Certifier", "rows.past().add(RowStripes.stripe(batch.stripes[k]), sequence);", ""),
    WRITES_ARE_NOT_RECORDED(
        "Certifier",
        "if (recorded.isAwake(sequence)) {",
        "if (recorded.isAwake(sequence) && sequence < 0) {"),
    WRITES_OF_SNAPSHOT_ISOLATION_ARE_NOT_RECORDED(
        "Certifier",
        "if (recorded.isAwake(sequence)) {",
        "if (recorded.isAwake(sequence) && batch.serializable[i]) {"),
    /** What was written while nothing was recorded. */
    WRITES_BEFORE_WAKING_UP_ARE_FORGOTTEN("rows/RecordedSince", "from = now;", ""),
    /** A row that loses its name counts as never written. */
    UNNAMED_WRITES_ARE_FORGOTTEN(
        "rows/RowStripes",
        "w[line + OTHERS] = later(w[line + OTHERS], w[line + COMMITS + 2]);",
        ""),
    ONLY_THE_START_BOUNDS_A_POSITION(
        "Intervals", "Math.max(start, readAt) < position", "start < position"),
    READ_ONLY_TRANSACTIONS_ALWAYS_COMMIT(
        "Intervals", "return start < lowest ? start", "return start > 0 ? start");

    private final String type;
    private final String text;
    private final String instead;
    private final Class<? extends LongPredicate> worlds;

    Bug(String type, String text, String instead) {
      this(type, text, instead, Worlds.class);
    }

    Bug(String type, String text, String instead, Class<? extends LongPredicate> worlds) {
      this.worlds = worlds;
      this.type = type;
      this.text = text;
      this.instead = instead;
    }

    private SourceEdit edit() {
      return new SourceEdit(
          Path.of("src/main/java/io/retso/oracle", type + ".java"), text, instead);
    }
  }

  /** Whether all histories of a seed are right; made anew by each loader of classes. */
  static final class Worlds implements LongPredicate {
    @Override
    public boolean test(long seed) {
      Random random = new Random(seed);
      SerialHistories all =
          new SerialHistories(new Intervals(), 15, random.nextInt(4), random.nextBoolean());
      int granules = random.nextInt(8) & random.nextInt(8);
      for (int i = 0; i < HISTORIES; i++) {
        History h = SerialHistories.random(random, 5, 3, granules, true, true, true);
        if (!all.run(h, 1, true)) {
          return false;
        }
      }
      return true;
    }
  }

  /**
   * Whether what was read more than 2^31 timestamps ago refuses no transaction. Without ages it
   * would look as if it were read in the future.
   */
  static final class Aged implements LongPredicate {
    private static final int GRANULE = 100;
    private final StatusOracle oracle = new StatusOracle(1000, 1 << 10, 1 << 10, Changes.NONE, 0);
    private final CommitBatch batch = new CommitBatch(10);

    private boolean commits(long start, long written, long read, boolean granules) {
      batch.clear();
      int at = batch.add(start, false, true, 1, 0, granules ? 0 : 1, granules ? 1 : 0, 1);
      batch.rows()[at] = written;
      batch.rows()[at + 1] = granules ? GRANULE + read : read;
      batch.rows()[at + 2] = GRANULE + written;
      oracle.commit(batch);
      return batch.outcome(0) > 0;
    }

    @Override
    public boolean test(long seed) {
      return isForgotten(false) && isForgotten(true);
    }

    private boolean isForgotten(boolean granules) {
      boolean right = commits(oracle.begin(1), 1, 2, granules);
      for (int i = 0; i < 5; i++) { // by 5/8 of 2^32
        long next = oracle.nextTimestamp() + ((1L << 29) << Timestamps.GAP_BITS);
        oracle.replay().time(next);
        oracle.begin(1);
      }
      long pivot = oracle.begin(1);
      right &= commits(oracle.begin(1), 3, 4, granules);
      return right && commits(pivot, 2, 3, granules);
    }
  }

  @Test
  void withoutABugNothingIsFound() {
    for (int seed = 0; seed < 3; seed++) {
      assertTrue(new Aged().test(seed));
      assertTrue(new Worlds().test(seed), "seed " + seed);
    }
  }

  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug, @TempDir Path directory) throws Exception {
    bug.edit().compile(directory);
    try (EditedClasses edited =
        EditedClasses.of(
            directory, SerialHistories.class, StatusOracle.class, OracleClient.class)) {
      LongPredicate worlds = edited.make(bug.worlds, LongPredicate.class);
      for (int seed = 0; seed < SEEDS; seed++) {
        try {
          if (!worlds.test(seed)) {
            System.out.println(bug + ": seed " + seed);
            return;
          }
        } catch (AssertionError caught) {
          System.out.println(bug + ": seed " + seed + ", " + caught);
          return;
        }
      }
    }
    fail(bug + " stays hidden in " + SEEDS + " times " + HISTORIES + " histories");
  }
}
