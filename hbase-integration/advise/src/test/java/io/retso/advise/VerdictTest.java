package io.retso.advise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.advise.model.Danger;
import io.retso.advise.model.Program;
import io.retso.advise.model.Programs;
import io.retso.advise.model.Programs.Conflicts;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Verdicts of the literature, and what is said beside them. */
class VerdictTest {
  static Stream<Map.Entry<String, Programs>> safe() {
    return Cases.safe().entrySet().stream();
  }

  static Stream<Map.Entry<String, Programs>> unsafe() {
    return Cases.unsafe().entrySet().stream();
  }

  @ParameterizedTest
  @MethodSource
  void safe(Map.Entry<String, Programs> of) {
    assertEquals(List.of(), Advise.of(of.getValue()).verdict().dangers());
    Advise.of(of.getValue()).assertSerializable();
    assertEquals(List.of(Set.of()), Advise.of(of.getValue()).fewestSerializable());
  }

  @ParameterizedTest
  @MethodSource
  void unsafe(Map.Entry<String, Programs> of) {
    assertFalse(Advise.of(of.getValue()).verdict().isSerializable());
  }

  @Test
  void tpccIsSafeByCellToo() {
    Programs tpcc = Programs.of(Cases.tpcc(true, true).values()).withConflicts(Conflicts.CELL);
    assertTrue(Advise.of(tpcc).verdict().isSerializable());
  }

  @Test
  void smallBanksDangerIsThatOfThePaper() {
    Advise bank = Advise.of(Cases.smallBank());
    Danger danger = bank.verdict().dangers().get(0);
    assertEquals("WriteCheck(n=1) around TransactSaving(n=1), Balance(n=1)", danger.toString());
    assertEquals(
        List.of(
            "WriteCheck(n=1) begins, and reads",
            "TransactSaving(n=1) runs, and commits",
            "Balance(n=1) runs, and commits",
            "WriteCheck(n=1) writes, and commits"),
        danger.schedule());
    assertEquals(
        Set.of(
            Set.of("Amalgamate", "Balance", "DepositChecking", "TransactSaving"),
            Set.of("Amalgamate", "Balance", "DepositChecking", "WriteCheck"),
            Set.of("Amalgamate", "DepositChecking", "TransactSaving", "WriteCheck")),
        Set.copyOf(bank.maximalSafe()));
    assertEquals(
        List.of(Set.of("Balance", "TransactSaving", "WriteCheck")), bank.fewestSerializable());
  }

  @Test
  void creditChecksAndNewOrdersAreToBeSerializable() {
    Advise dbt2 = Advise.of(Cases.dbt2());
    assertEquals(List.of(Set.of("CreditCheck", "NewOrder")), dbt2.fewestSerializable());
    Set<String> all =
        Cases.dbt2().only(p -> true).all().stream()
            .map(Program::name)
            .collect(java.util.stream.Collectors.toSet());
    for (Set<String> safe : dbt2.maximalSafe()) {
      assertEquals(all.size() - 1, safe.size(), safe::toString);
      assertFalse(safe.containsAll(Set.of("CreditCheck", "NewOrder")));
    }
  }

  @Test
  void anyTwoBatchProgramsAreSafe() {
    assertEquals(3, Advise.of(Cases.unsafe().get("batches")).maximalSafe().size());
  }

  @Test
  void aFailureNamesDangerAndRepair() {
    AssertionError failure =
        assertThrows(AssertionError.class, () -> Advise.of(Cases.smallBank()).assertSerializable());
    String text = failure.getMessage();
    assertTrue(text.contains("TransactSaving(n=1) runs, and commits"), text);
    assertTrue(text.contains("WriteCheck validates its read of saving[n]"), text);
  }

  @Test
  void wrongProgramsAreRefusedWithARemedy() {
    assertSays("is none of its parameters", () -> Program.named("p", "n").read("t", "m", "c"));
    assertSays("a name, and each parameter", () -> Program.named("p", "n", "n"));
    assertSays("is no parameter of it", () -> Program.named("p", "n").distinct("m"));
    assertSays("a rate must be above 0", () -> Program.named("p").rate(0));
    Program one = Program.named("p", "n").read("t", "n", "c");
    assertSays("two programs are called p", () -> Advise.programs(one, one));
    assertSays(
        "what has the first parts only is a scan",
        () -> Advise.programs(one, Program.named("q", "n", "b").read("t", "n b", "c")));
  }

  /** What a table with conflicts by cell protects are the cells that are named. */
  @Test
  void byCellALockProtectsWhatItNames() {
    Program a =
        Program.named("A", "k").lock("t", "k", "a").read("t", "k", "b").write("t", "k", "c");
    Program b =
        Program.named("B", "k").lock("t", "k", "a").read("t", "k", "c").write("t", "k", "b");
    Program other =
        Program.named("B", "k").lock("t", "k", "d").read("t", "k", "c").write("t", "k", "b");
    assertTrue(byCell(a, b), "both lock one cell");
    assertFalse(byCell(a, other), "each locks another");
    Program whole = Program.named("C", "k").with(Cases.lock("t", "k"));
    assertSays("names no columns", () -> byCell(whole));
  }

  /** Both find no row, and insert one by different columns. */
  @Test
  void byCellTheExistenceOfARowIsNotProtected() {
    Program a = Program.named("A", "k").read("t", "k", "*").write("t", "k", "a *");
    Program b = Program.named("B", "k").read("t", "k", "*").write("t", "k", "b *");
    assertFalse(byCell(a, b));
    assertTrue(Advise.programs(a, b).verdict().isSerializable(), "by row it is");
  }

  private static boolean byCell(Program... programs) {
    Programs all = Programs.of(List.of(programs), Conflicts.CELL, Map.of());
    return Advise.of(all).verdict().isSerializable();
  }

  @Test
  void namesOfOnePlaceAreOfOneKind() {
    Program one = Program.named("p", "n").read("t", "n", "c");
    Program other = Program.named("q", "customer").write("t", "customer", "c");
    assertSays("parameters of two kinds are never equal", () -> Advise.programs(one, other));
  }

  @Test
  void whatTakesTooLongIsRefused() {
    Program many = Program.named("p", "a1", "a2", "a3", "a4", "a5", "a6").read("t", "a1", "c");
    assertSays("leave some out", () -> Advise.programs(many).verdict());
  }

  private static void assertSays(String what, org.junit.jupiter.api.function.Executable call) {
    String said = assertThrows(IllegalArgumentException.class, call).getMessage();
    assertTrue(said.contains(what), said);
  }
}
