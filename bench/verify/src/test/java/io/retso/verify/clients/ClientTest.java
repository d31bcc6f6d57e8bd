package io.retso.verify.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.hbase.errors.OracleUnavailableException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ClientTest {
  private final AtomicInteger attempts = new AtomicInteger();

  private Client.Connect answeredAt(int attempt) {
    return () -> {
      if (attempts.incrementAndGet() < attempt) {
        throw new OracleUnavailableException("no answer within 10 s", null);
      }
      return null;
    };
  }

  @Test
  void anOracleThatIsPausedIsWaitedFor() throws Exception {
    assertNull(Client.connected(answeredAt(3), Duration.ofMinutes(1)));
    assertEquals(3, attempts.get());
  }

  @Test
  void notForEver() {
    Client.Connect never = answeredAt(Integer.MAX_VALUE);
    assertThrows(
        OracleUnavailableException.class, () -> Client.connected(never, Duration.ofMillis(1)));
  }
}
