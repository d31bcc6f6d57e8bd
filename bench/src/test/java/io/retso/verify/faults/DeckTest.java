package io.retso.verify.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.retso.verify.run.RunSettings;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DeckTest {
  private static final List<Fault> FAULTS =
      RunSettings.FAULTS.stream().map(name -> new Fault(name, random -> name)).toList();

  private static List<String> pass(Deck deck) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < FAULTS.size(); i++) {
      names.add(deck.next(FAULTS).name());
    }
    return names;
  }

  @Test
  void eachHasItsTurnBeforeAnyHasItsSecond() {
    Deck deck = new Deck(1);
    List<String> first = pass(deck);
    List<String> second = pass(deck);
    assertEquals(Set.copyOf(RunSettings.FAULTS), new HashSet<>(first));
    assertEquals(Set.copyOf(RunSettings.FAULTS), new HashSet<>(second));
    assertNotEquals(first, second, "an order of its own");
  }

  @Test
  void theSeedDecidesTheOrder() {
    assertEquals(pass(new Deck(7)), pass(new Deck(7)));
    assertNotEquals(pass(new Deck(7)), pass(new Deck(8)));
  }

  @Test
  void whatCouldNotHappenHasOneTurnMoreAtTheEndOfItsPass() {
    Deck deck = new Deck(1);
    Fault first = deck.next(FAULTS);
    deck.refused(first);
    for (int i = 1; i < FAULTS.size(); i++) {
      assertNotEquals(first, deck.next(FAULTS));
    }
    assertEquals(first, deck.next(FAULTS));
    deck.refused(first);
    assertEquals(Set.copyOf(RunSettings.FAULTS), new HashSet<>(pass(deck)), "the next pass");
  }
}
