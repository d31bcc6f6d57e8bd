package io.retso.advise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.advise.input.MeteredRates;
import io.retso.advise.model.Program;
import io.retso.advise.model.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MeteredRatesTest {
  private static final String METRICS =
      """
      # TYPE retso_client_transactions_seconds summary
      retso_client_transactions_seconds_count{client="a",name="Balance",outcome="read"} 5.0
      retso_client_transactions_seconds_count{name="WriteCheck",outcome="committed"} 1.0E3 1700000000
      retso_client_transactions_seconds_count{name="WriteCheck",outcome="conflict"} 200
      retso_client_transactions_seconds_count{name="Pay",outcome="committed"} 40
      retso_client_transactions_seconds_sum{name="WriteCheck",outcome="conflict"} 7
      other_count{name="WriteCheck"} 9
      """;

  @TempDir Path directory;

  private MeteredRates rates(String text) throws IOException {
    return MeteredRates.read(Files.writeString(directory.resolve("metrics.txt"), text));
  }

  @Test
  void programsRunAsOftenAsTheirTransactions() throws IOException {
    List<Program> all = new ArrayList<>(Cases.smallBank().all());
    all.add(program("Pay.1").rate(3));
    all.add(program("Pay.2").rate(1));
    Programs programs = Programs.of(all);
    MeteredRates rates = rates(METRICS);
    Programs metered = rates.applyTo(programs);
    assertEquals(1200, metered.get("WriteCheck").rate());
    assertEquals(5, metered.get("Balance").rate());
    assertEquals(1, metered.get("Amalgamate").rate());
    assertEquals(30, metered.get("Pay.1").rate());
    assertEquals(10, metered.get("Pay.2").rate());
    assertEquals(
        List.of("Amalgamate", "DepositChecking", "TransactSaving"),
        rates.unknown(programs).stream().sorted().toList());
  }

  /** What runs rarely is changed then. */
  @Test
  void ratesDecideWhichRepairIsCheapest() throws IOException {
    Programs metered = rates(METRICS).applyTo(Cases.smallBank());
    String first = Advise.of(metered).repairs(1).get(0).toString();
    assertTrue(first.contains("Balance locks checking[n]"), first);
  }

  @Test
  void otherFilesAreRefusedWithARemedy() {
    IOException refused = assertThrows(IOException.class, () -> rates("other_count 9\n"));
    assertTrue(refused.getMessage().contains("TransactionOptions.withName"), refused::toString);
    refused =
        assertThrows(
            IOException.class,
            () -> rates("retso_client_transactions_seconds_count{name=\"A\"} 1e5e\n"));
    assertTrue(refused.getMessage().contains("metrics.txt, line 1: "), refused::toString);
  }

  private static Program program(String name) {
    return Program.named(name, "n").read("saving", "n", "b");
  }
}
