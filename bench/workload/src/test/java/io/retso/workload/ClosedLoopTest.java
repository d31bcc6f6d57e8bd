package io.retso.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.workload.store.OracleAlone;
import io.retso.workload.tpcb.Tpcb;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Programs at a rate: no more than it says, and a stall is seen by all that were due in it. */
@Timeout(60)
class ClosedLoopTest {
  private static final Duration TIME = Duration.ofSeconds(2);
  private static final int PER_SECOND = 50;
  private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(800);

  private OracleAlone alone;
  private Tpcb programs;

  @BeforeEach
  void start() throws IOException {
    alone = new OracleAlone();
    programs = new Tpcb(1, 10, Isolation.SNAPSHOT);
    alone.store().create(programs.schema());
    programs.load(alone.store());
  }

  @AfterEach
  void stop() throws IOException {
    alone.close();
  }

  private LoadCounts run(Workload workload, int clients) throws Exception {
    return ClosedLoop.run(
        workload,
        alone.store(),
        new ClosedLoop.Plan(clients, PER_SECOND, 1, Duration.ZERO, TIME),
        () -> {});
  }

  @Test
  void theRateIsSharedByAllClients() throws Exception {
    LoadCounts counts = run(programs, 8);
    assertTrue(counts.attempts() <= PER_SECOND * TIME.toSeconds(), counts.attempts() + " begun");
    assertTrue(counts.attempts() > 0);
    assertEquals(counts.committed() / (double) TIME.toSeconds(), counts.perSecond(), 5);
  }

  /** One client: what is due while its program waits is begun late, and counts from when it was. */
  @Test
  void aStallIsNotHidden() throws Exception {
    LoadCounts counts = run(new Stalled(programs), 1);
    long waited = STALL_NANOS / 2;
    long seen =
        counts.latency().getTotalCount() - counts.latency().getCountBetweenValues(0, waited - 1);
    assertTrue(seen > STALL_NANOS / 4 / (1_000_000_000 / PER_SECOND), seen + " waited for long");
  }

  /** The tenth program waits before it begins. */
  private static final class Stalled implements Workload {
    private final Workload of;
    private final AtomicInteger count = new AtomicInteger();

    Stalled(Workload of) {
      this.of = of;
    }

    @Override
    public List<String> schema() {
      return of.schema();
    }

    @Override
    public void load(Store store) throws IOException {
      of.load(store);
    }

    @Override
    public Program next(SplittableRandom random) {
      if (count.incrementAndGet() == 10) {
        long until = System.nanoTime() + STALL_NANOS;
        while (System.nanoTime() < until) {
          LockSupport.parkNanos(until - System.nanoTime());
        }
      }
      return of.next(random);
    }

    @Override
    public String check(Store store) throws IOException {
      return of.check(store);
    }
  }
}
