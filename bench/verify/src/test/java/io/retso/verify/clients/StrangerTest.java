package io.retso.verify.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.retso.client.OracleClient;
import io.retso.cluster.InProcessServer;
import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import io.retso.server.RetsoServer;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The stranger of {@code verify} and {@code chaos} is refused, and says so where it is not. */
@Timeout(120)
class StrangerTest {
  private static final long ENOUGH = 200;
  private static final long LOOK_MILLIS = 10;

  private static final Path TICKETS =
      Path.of("../../retso-server/src/main/java/io/retso/security/Tickets.java");

  private final List<String> findings = new CopyOnWriteArrayList<>();

  /** Made by a loader of classes of its own, too. */
  static final class Oracle implements IntSupplier, AutoCloseable {
    private final InProcessServer server;

    Oracle() throws IOException {
      server = new InProcessServer(10_000, 1 << 17, 10_000);
    }

    @Override
    public int getAsInt() {
      return server.address().getPort();
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** Until it is refused often enough, or found something. */
  private void attack(int port) throws Exception {
    StopSignal stop = new StopSignal();
    Stranger stranger =
        new Stranger(OracleClient.builder().address("127.0.0.1:" + port), 1, findings::add, stop);
    Thread thread = new Thread(stranger, "stranger");
    thread.start();
    try {
      while (stranger.refused() < ENOUGH && findings.isEmpty()) {
        stop.await(LOOK_MILLIS);
      }
    } finally {
      stop.set();
      thread.join();
    }
  }

  @Test
  void isRefused() throws Exception {
    try (Oracle oracle = new Oracle()) {
      attack(oracle.getAsInt());
    }
    assertEquals(List.of(), findings);
  }

  @Test
  void findsAnOracleThatTakesAnyTicket(@TempDir Path directory) throws Exception {
    Path classes = directory.resolve("classes");
    new SourceEdit(TICKETS, "tickets[from + i] == macs[key].code(i)", "true").compile(classes);
    try (EditedClasses edited =
            EditedClasses.of(
                classes,
                Oracle.class,
                InProcessServer.class,
                RetsoServer.class,
                OracleClient.class);
        AutoCloseable oracle = started(edited)) {
      attack(((IntSupplier) oracle).getAsInt());
    }
    assertFalse(findings.isEmpty());
  }

  private static AutoCloseable started(EditedClasses edited) throws ReflectiveOperationException {
    Constructor<?> constructor = edited.loadClass(Oracle.class.getName()).getDeclaredConstructor();
    constructor.setAccessible(true);
    return (AutoCloseable) constructor.newInstance();
  }
}
