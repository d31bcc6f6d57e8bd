package io.retso.advise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.advise.model.Program;
import io.retso.advise.model.Programs;
import io.retso.advise.model.Repair;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Repairs repair, and none of their steps is idle. */
class RepairTest {
  private static final int MOST = 5;

  static Stream<Map.Entry<String, Programs>> unsafe() {
    return Cases.unsafe().entrySet().stream();
  }

  @ParameterizedTest
  @MethodSource("unsafe")
  void eachRepairIsOne(Map.Entry<String, Programs> of) {
    List<Repair> repairs = Advise.of(of.getValue()).repairs(MOST);
    assertFalse(repairs.isEmpty());
    double cost = 0;
    for (Repair repair : repairs) {
      assertTrue(repair.cost() >= cost, repairs::toString);
      cost = repair.cost();
      Advise.of(repair.programs()).assertSerializable();
      assertEveryChangeIsNeeded(of.getValue(), repair);
    }
  }

  /** Each changed program is put back as it was: the danger is back, too. */
  private static void assertEveryChangeIsNeeded(Programs before, Repair repair) {
    for (Program program : before.all()) {
      Program changed = repair.programs().get(program.name());
      if (!changed.toString().equals(program.toString())) {
        Programs without = repair.programs().with(program);
        assertFalse(
            Advise.of(without).verdict().isSerializable(), () -> program.name() + " in " + repair);
      }
    }
  }

  /** The order in which Alomari et al. measured them: WT below BW, as Balance stays read-only. */
  @Test
  void smallBanksRepairsAreRankedAsTheyWereMeasured() {
    List<String> steps =
        Advise.of(Cases.smallBank()).repairs(7).stream()
            .map(repair -> String.join("; ", repair.steps()))
            .toList();
    assertEquals(
        List.of(
            "WriteCheck validates its read of saving[n] (getValidated)",
            "WriteCheck locks saving[n] (getForUpdate)",
            "WriteCheck writes what it has read of saving[n] (b)",
            "Balance runs serializable; TransactSaving runs serializable; WriteCheck runs"
                + " serializable",
            "TransactSaving writes a row of its own for saving[n] (addWriteConflict, or a table for"
                + " it); WriteCheck writes a row of its own for saving[n] (addWriteConflict, or a"
                + " table for it)",
            "Balance locks checking[n] (getForUpdate)",
            "Balance writes what it has read of checking[n] (b)"),
        steps);
  }

  /** What runs rarely is what should be changed. */
  @Test
  void ratesDecide() {
    Programs rarely =
        Cases.smallBank(
            Cases.in("Balance", program -> program.rate(0.01)),
            Cases.in("WriteCheck", program -> program.rate(10)));
    String first = Advise.of(rarely).repairs(1).get(0).toString();
    assertTrue(first.contains("Balance locks checking[n]"), first);
  }

  /** No single read of a scan can be validated or locked. */
  @Test
  void aScanIsMadeARowOrSerializable() {
    List<Repair> repairs = Advise.of(Cases.unsafe().get("doctors")).repairs(MOST);
    assertEquals(
        List.of(
            List.of("GoOffCall runs serializable"),
            List.of(
                "GoOffCall writes a row of its own for doctor[shift] (addWriteConflict, or a table"
                    + " for it)")),
        repairs.stream().map(Repair::steps).toList());
  }

  @Test
  void whatIsSafeNeedsNone() {
    assertEquals(List.of(), Advise.of(Cases.safe().get("TPC-C")).repairs(MOST));
  }

  /** No assertion of time: how long it takes is printed. */
  @Test
  void twentyProgramsAreAnswered() {
    java.util.List<Program> all = new java.util.ArrayList<>(Cases.dbt2().all());
    all.addAll(Cases.smallBankPrograms().values());
    Cases.safe().get("YCSB A, B, F").all().forEach(all::add);
    all.addAll(List.of(Cases.batch()));
    all.add(Program.named("Count", "shift").scan("doctor", "shift", "oncall"));
    all.add(Program.named("Hire", "shift", "doctor").write("doctor", "shift doctor", "* oncall"));
    assertEquals(20, all.size());
    long begin = System.nanoTime();
    Advise twenty = Advise.of(Programs.of(all));
    int dangers = twenty.verdict().dangers().size();
    long middle = System.nanoTime();
    int safe = twenty.maximalSafe().size();
    int fewest = twenty.fewestSerializable().get(0).size();
    long end = System.nanoTime();
    assertEquals(8, fewest, "two of DBT-2++, three of SmallBank, three of the batches");
    System.out.printf(
        "20 programs: %d dangers in %.2f s; %d maximal sets that are safe, and %d serializable"
            + " programs, in %.2f s%n",
        dangers, (middle - begin) / 1e9, safe, fewest, (end - middle) / 1e9);
  }
}
