package io.retso.verify.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.verify.history.Step;
import io.retso.verify.lists.Action;
import io.retso.verify.lists.Generations;
import io.retso.verify.lists.ListKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.Test;

class PlannerTest {
  private final Generations generations = new Generations(Generations.allAt(3), 60);

  @Test
  void plansAreOfAllKindsAndAppendEachValueOnce() {
    Planner planner = new Planner(new Random(1), generations, 1_000_000);
    Set<Object> kinds = new HashSet<>();
    Set<Long> values = new HashSet<>();
    Set<Integer> sizes = new HashSet<>();
    for (int i = 0; i < 5000; i++) {
      List<Action> plan = planner.next();
      List<Step> steps = plan.stream().flatMap(action -> action.steps().stream()).toList();
      sizes.add(steps.size());
      for (Step step : steps) {
        if (step instanceof Step.Append append) {
          assertTrue(values.add(append.value()), () -> append + " twice");
        }
      }
      for (Action action : plan) {
        kinds.add(action.getClass());
        List<ListKey> keys =
            action.steps().stream().map(step -> ListKey.ofNumber(step.key())).toList();
        assertTrue(keys.stream().map(ListKey::table).distinct().count() <= 1, action::toString);
        if (action instanceof Action.Append append) {
          kinds.add(append.way());
        } else {
          assertEquals(keys.size(), Set.copyOf(keys).size(), action::toString);
        }
      }
    }
    int most = Planner.STEPS_MAX - 2 + ListKey.ROWS * ListKey.COLUMNS; // a scan of all at the end
    assertEquals(IntStream.rangeClosed(1, most).boxed().collect(Collectors.toSet()), sizes);
    Set<Object> all = new HashSet<>(Arrays.asList(Action.class.getPermittedSubclasses()));
    all.addAll(List.of(Action.Way.values()));
    assertEquals(all, kinds);
  }

  /** Whatever the rows, a scan of everything in its range misses none of their lists. */
  @Test
  void someScansNameAllListsOfTheirRange() {
    Planner planner = new Planner(new Random(2), generations, 0);
    Set<Integer> whole = new HashSet<>();
    for (int i = 0; i < 5000; i++) {
      for (Action action : planner.next()) {
        if (action instanceof Action.Scan scan && scan.keys().size() > Planner.STEPS_MAX) {
          Set<Integer> rows = new HashSet<>();
          scan.keys().forEach(key -> rows.add(key.row()));
          assertEquals(scan.keys().size(), rows.size() * ListKey.COLUMNS, action::toString);
          whole.add(rows.size());
        }
      }
    }
    assertEquals(Set.of(3, 4), whole);
  }

  /** Both read the same two lists, and append to different ones, in different rows. */
  @Test
  void pairsMissEachOthersAppends() {
    Planner planner = new Planner(new Random(3), generations, 0);
    Set<Long> values = new HashSet<>();
    Set<Object> kinds = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      Planner.Pair pair = planner.pair();
      List<ListKey> targets = new ArrayList<>();
      List<Set<ListKey>> reads = new ArrayList<>();
      for (List<Action> plan : List.of(pair.first(), pair.second())) {
        Action.Append append = (Action.Append) plan.get(plan.size() - 1);
        assertTrue(values.add(append.value()), append::toString);
        targets.add(append.key());
        reads.add(
            plan.stream().flatMap(action -> action.reads().stream()).collect(Collectors.toSet()));
        plan.forEach(action -> kinds.add(action.getClass()));
        kinds.add(append.way());
      }
      assertEquals(Set.copyOf(targets), reads.get(0));
      assertEquals(Set.copyOf(targets), reads.get(1));
      assertNotEquals(targets.get(0).row(), targets.get(1).row());
      kinds.add(targets.get(0).table() == targets.get(1).table());
    }
    Set<Object> all = new HashSet<>(List.of(true, false));
    all.addAll(List.of(Action.Get.class, Action.Scan.class, Action.Append.class));
    all.addAll(List.of(Action.Way.values()));
    assertEquals(all, kinds);
  }

  @Test
  void keysHaveNumbersOfTheirOwn() {
    Set<Long> numbers = new HashSet<>();
    Set<String> cells = new HashSet<>();
    int keys = 0;
    for (int table = 0; table < ListKey.TABLES; table++) {
      for (int group = 0; group < ListKey.GROUPS; group++) {
        for (int generation : new int[] {0, 1, 100_000, 20_000_000}) {
          for (int row = 0; row < ListKey.ROWS; row++) {
            for (int column = 0; column < ListKey.COLUMNS; column++) {
              ListKey key = new ListKey(table, group, generation, row, column);
              assertEquals(key, ListKey.ofNumber(key.number()));
              numbers.add(key.number());
              cells.add(key.toString().replaceFirst("list \\d+", ""));
              keys++;
            }
          }
        }
      }
    }
    assertEquals(keys, numbers.size());
    assertEquals(keys, cells.size());
  }

  @Test
  void fullListsAreLeftAlone() {
    ListKey key = new ListKey(0, 2, 3, 0, 0);
    generations.saw(key, 59);
    assertEquals(3, generations.of(2));
    generations.saw(key, 60);
    generations.saw(key, 61);
    assertEquals(4, generations.of(2));
    generations.saw(new ListKey(0, 2, 1, 0, 0), 99);
    assertEquals(4, generations.of(2));
    assertEquals(3, generations.of(1));
  }

  @Test
  void plansOfClientsTravelAsArguments() {
    ClientPlan plan =
        new ClientPlan(
            3,
            4,
            -5,
            new ClusterAccess("a,b:2181:/hbase", "c:7521"),
            List.of(TableName.valueOf("t"), TableName.valueOf("n:u")),
            new int[] {1, 2},
            60,
            RunIsolation.MIXED,
            Long.MIN_VALUE,
            Path.of("/d/e.edn"));
    ClientPlan other = ClientPlan.ofArguments(plan.toArguments().toArray(String[]::new));
    assertEquals(plan.toArguments(), other.toArguments());
    assertEquals(plan.tables(), other.tables());
    assertEquals(Path.of("/d/e.edn.violations"), other.violations());
  }
}
