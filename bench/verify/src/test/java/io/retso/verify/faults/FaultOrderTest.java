package io.retso.verify.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.retso.verify.run.RunSettings;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FaultOrderTest {
  private static final List<Fault> FAULTS =
      RunSettings.FAULTS.stream().map(name -> new Fault(name, random -> name)).toList();

  private static List<String> pass(FaultOrder faultOrder) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < FAULTS.size(); i++) {
      names.add(faultOrder.next(FAULTS).name());
    }
    return names;
  }

  @Test
  void eachHasItsTurnBeforeAnyHasItsSecond() {
    FaultOrder faultOrder = new FaultOrder(1);
    List<String> first = pass(faultOrder);
    List<String> second = pass(faultOrder);
    assertEquals(Set.copyOf(RunSettings.FAULTS), new HashSet<>(first));
    assertEquals(Set.copyOf(RunSettings.FAULTS), new HashSet<>(second));
    assertNotEquals(first, second, "an order of its own");
  }

  @Test
  void theSeedDecidesTheOrder() {
    assertEquals(pass(new FaultOrder(7)), pass(new FaultOrder(7)));
    assertNotEquals(pass(new FaultOrder(7)), pass(new FaultOrder(8)));
  }

  @Test
  void whatCouldNotHappenHasOneTurnMoreAtTheEndOfItsPass() {
    FaultOrder faultOrder = new FaultOrder(1);
    Fault first = faultOrder.next(FAULTS);
    faultOrder.refused(first);
    for (int i = 1; i < FAULTS.size(); i++) {
      assertNotEquals(first, faultOrder.next(FAULTS));
    }
    assertEquals(first, faultOrder.next(FAULTS));
    faultOrder.refused(first);
    assertEquals(Set.copyOf(RunSettings.FAULTS), new HashSet<>(pass(faultOrder)), "the next pass");
  }
}
