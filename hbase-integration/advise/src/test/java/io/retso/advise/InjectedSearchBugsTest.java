package io.retso.advise;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import java.nio.file.Path;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bugs of the search, each of which random programs and the brute force must show. */
class InjectedSearchBugsTest {
  /** Sets of programs from the first one on. */
  private static final int SEEDS = 100;

  /** A rule that is left out. */
  enum Bug {
    LOCKS_PROTECT_NOTHING(
        291, "Model", "kind == Kind.WRITE || kind == Kind.LOCK", "kind == Kind.WRITE"),
    VALIDATED_READS_ARE_READS(
        151, "Bound", "mine.reads() && mine.kind() != Kind.VALIDATE", "mine.reads()"),
    READS_ARE_VALIDATED(20, "Bound", "mine.reads() && mine.kind() != Kind.VALIDATE", "false"),
    /** A lock is not a write: what it validates was not changed. */
    LOCKS_REFUSE_VALIDATED_READS(
        2521,
        "Bound",
        "mine.reads() ? its.kind() == Kind.WRITE : its.isProtected()",
        "its.isProtected()"),
    CELLS_ARE_ROWS(28, "Model", "return byRow || (columns", "return true || (columns"),
    ROWS_ARE_CELLS(0, "Model", "return byRow || (columns", "return (columns"),
    THAT_A_ROW_EXISTS_IS_A_CELL(
        28,
        "Model",
        "(columns & other.columns & ~EXISTS) != 0;\n    }\n\n    /**",
        "(columns & other.columns) != 0;\n    }\n\n    /**"),
    SCANS_MEET_NOTHING(
        367,
        "Bound",
        "    for (int i = 0; i < parts; i++) {\n      if (at(mine",
        "    if (mine.key().length != its.key().length) {\n      return false;\n    }\n"
            + "    for (int i = 0; i < parts; i++) {\n      if (at(mine"),
    PREFIXES_ARE_NOT_COMPARED(
        12,
        "Bound",
        "if (at(mine.key()[i]) != other.at(its.key()[i])) {",
        "if (i == 0 && at(mine.key()[i]) != other.at(its.key()[i])) {"),
    COLUMNS_ARE_NOT_COMPARED(
        12,
        "Model",
        "(kind == Kind.WRITE || other.kind == Kind.WRITE) && (columns & other.columns) != 0",
        "(kind == Kind.WRITE || other.kind == Kind.WRITE)"),
    CONSTANTS_ARE_NO_PARAMETERS(
        166,
        "Bound",
        "for (int constant : model.constants.get(kind)) {",
        "for (int constant : NONE) {"),
    WHAT_IS_DISTINCT_MAY_BE_EQUAL(
        0, "Bound", "if (values[set[i]] == values[set[j]]) {", "if (values[set[i]] < -999) {"),
    WHAT_IS_PRIVATE_IS_EQUAL(31, "Bound", "number <= fresh;", "number <= PRIVATE;"),
    NOTHING_IS_PRIVATE(20, "Bound", "number <= fresh;", "number < PRIVATE;"),
    NOTHING_IS_SHARED(
        20, "Bound", "if (value >= 0 && kind(value) == kind) {", "if (value < -999) {"),
    CHAINS_ARE_NOT_FOLLOWED(
        168, "DangerSearch", "last.meeting(beside.get(j)) != null", "last == beside.get(j)"),
    CHAINS_NEED_NO_DEPENDENCY(
        19, "DangerSearch", "last.meeting(beside.get(j)) != null", "last.prog != null"),
    NONE_IS_REFUSED_BESIDE_THE_PIVOT(0, "DangerSearch", "if (!pivot.isRefusedBy(other)) {", "{"),
    A_SERIALIZABLE_PIVOT_IS_ENOUGH(
        1519,
        "DangerSearch",
        "isSerializable(pivot) && isSerializable(beside.get(i))",
        "isSerializable(pivot)"),
    THREE_SERIALIZABLE_ONES_ARE_A_DANGER(
        58, "DangerSearch", "return after == 1 && both && reads[i] ? -1 :", "return "),
    THE_WAY_FORGETS_THAT_IT_WAS_SERIALIZABLE(
        58, "DangerSearch", "int after = bit | (both", "int after = (both");

    private final int first;
    private final String type;
    private final String text;
    private final String instead;

    /**
     * A bug.
     *
     * @param first a seed from which on it shows soon: some need programs that are rare
     */
    Bug(int first, String type, String text, String instead) {
      this.first = first;
      this.type = type;
      this.text = text;
      this.instead = instead;
    }

    private SourceEdit edit() {
      Path source = Path.of("src/main/java/io/retso/advise/search", type + ".java");
      return new SourceEdit(source, text, instead.replace("NONE", "new int[0]"));
    }
  }

  @Test
  void withoutABugTheyAgree() {
    for (int seed = 0; seed < 20; seed++) {
      assertTrue(new RandomPrograms.Agreement().test(seed), "seed " + seed);
    }
  }

  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug, @TempDir Path directory) throws Exception {
    bug.edit().compile(directory);
    try (EditedClasses edited = EditedClasses.of(directory, RandomPrograms.class, Advise.class)) {
      LongPredicate agreement = edited.make(RandomPrograms.Agreement.class, LongPredicate.class);
      for (int seed = bug.first; seed < bug.first + SEEDS; seed++) {
        try {
          if (!agreement.test(seed)) {
            System.out.println(bug + ": seed " + seed);
            return;
          }
        } catch (AssertionError | RuntimeException caught) {
          System.out.println(bug + ": seed " + seed + ", " + caught);
          return;
        }
      }
    }
    fail(bug + " stays hidden in " + SEEDS + " sets of programs");
  }
}
