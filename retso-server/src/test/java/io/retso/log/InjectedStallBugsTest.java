package io.retso.log;

import static org.junit.jupiter.api.Assertions.fail;

import io.retso.client.OracleClient;
import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import io.retso.sequencer.Sequencer;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Known bugs of a log that goes on in another ledger, each of which {@link StallWorld} must show.
 */
class InjectedStallBugsTest {
  private static final int SEEDS_MAX = 60;

  /** What is done wrong. */
  enum Bug {
    /** What survived without an acknowledgement is appended once more. */
    ENTRIES_THAT_SURVIVED_ARE_FORGOTTEN(
        "LedgerLog",
        "durable = Math.max(durable, firstPosition + sealedCount - 1);",
        "sealedCount = Math.max(0, durable - firstPosition + 1);"),
    /** What did not survive is not appended again. */
    ALL_ARE_TAKEN_FOR_DURABLE(
        "LedgerLog", "firstPosition + sealedCount - 1);", "firstPosition + sealedCount);"),
    /** The end of the old ledger is read while its appends may still arrive. */
    NOT_SEALED("LedgerLog", ".openFenced(current.id())", ".openUnfenced(current.id())"),
    /** A successor does not know of the ledger. */
    NOT_IN_THE_CATALOG("Housekeeping", ".thenCompose(ledger -> addMade())", ""),
    /** A successor's epoch is taken for one's own. */
    EPOCH_NOT_COMPARED("Housekeeping", "if (now.epoch() != catalog.epoch()) {", "if (false) {"),
    /** It cannot be seen that a ledger does not begin a segment. */
    NOT_SAID_TO_CONTINUE(
        "LedgerLog", "bytes = continuing ? LogEntry.continuing(entry) : entry;", "bytes = entry;"),
    /** A second failure within a segment makes it look like one that begins. */
    CONTINUES_ONLY_ONCE(
        "LedgerLog",
        "continuing = continuing || sealedCount > 0;",
        "continuing = !continuing && sealedCount > 0;"),
    /** The end of a stall is the beginning of a segment to a server that follows the log. */
    A_TAIL_TAKES_IT_FOR_A_SEGMENT(
        "TakeOver",
        "return LogEntry.continues(firstEntry) ? NO_START : replay.segmentStart(firstEntry);",
        "return replay.segmentStart(firstEntry);"),
    A_RECOVERY_BEGINS_IN_THE_MIDDLE(
        "SegmentSearch",
        "if (head.start != Segment.NO_START) {",
        "reached = listed;\n    if (head.start != Segment.NO_START) {");

    private final String type;
    private final String text;
    private final String instead;

    Bug(String type, String text, String instead) {
      this.type = type;
      this.text = text;
      this.instead = instead;
    }

    private SourceEdit edit() {
      return new SourceEdit(Path.of("src/main/java/io/retso/log", type + ".java"), text, instead);
    }
  }

  /** Runs the world of a seed; made anew by each loader of classes. */
  static final class Worlds implements LongConsumer {
    @Override
    public void accept(long seed) {
      new StallWorld(seed).run(12);
    }
  }

  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug, @TempDir Path directory) throws Exception {
    bug.edit().compile(directory);
    try (EditedClasses edited =
        EditedClasses.of(directory, StallWorld.class, Sequencer.class, OracleClient.class)) {
      LongConsumer worlds = edited.make(Worlds.class, LongConsumer.class);
      for (int seed = 1; seed <= SEEDS_MAX; seed++) {
        try {
          worlds.accept(seed);
        } catch (AssertionError | RuntimeException caught) {
          System.out.println(bug + ": seed " + seed + ", " + caught.getMessage());
          return;
        }
      }
    }
    fail(bug + " stays hidden in all worlds up to seed " + SEEDS_MAX);
  }
}
