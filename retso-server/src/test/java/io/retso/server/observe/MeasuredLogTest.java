package io.retso.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.log.CommitLog;
import io.retso.log.LogException;
import io.retso.log.MemoryLog;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MeasuredLogTest {
  private final AtomicLong clock = new AtomicLong();
  private final List<Long> heard = new ArrayList<>();
  private final MeasuredLog.Measures measures = new MeasuredLog.Measures();
  private final MeasuredLog measured =
      new MeasuredLog(
          new CommitLog.Listener() {
            @Override
            public void durable(long position) {
              heard.add(position);
            }

            @Override
            public void failed(LogException cause) {
              heard.add(-1L);
            }
          },
          clock::get,
          measures);

  private Figures figures() {
    Figures figures = new Figures();
    measured.copyInto(figures);
    measures.copyInto(figures);
    return figures;
  }

  @Test
  void eachEntryIsMeasuredUntilTheAcknowledgementThatCoversIt() {
    CommitLog silent = new MemoryLog(new SilentListener());
    measured.measure(silent, 41);
    measured.append(42, ByteBuffer.allocate(100));
    clock.set(1_000_000);
    measured.append(43, ByteBuffer.allocate(300));
    clock.set(3_000_000);
    assertEquals(2, figures().outstanding);
    assertEquals(3_000_000, figures().oldestOutstandingNanos);

    measured.listener().durable(43);
    assertEquals(List.of(43L), heard);
    assertEquals(0, figures().outstanding);
    assertEquals(0, figures().oldestOutstandingNanos);
    assertEquals(2, figures().appends.count());
    assertEquals(5_000_000, figures().appends.sum());
    assertEquals(400, figures().entrySizes.sum());
  }

  @Test
  void aFailureIsPassedOn() {
    measured.listener().failed(new LogException(LogException.Reason.FENCED, "test"));
    assertEquals(List.of(-1L), heard);
  }

  private static final class SilentListener implements CommitLog.Listener {
    @Override
    public void durable(long position) {}

    @Override
    public void failed(LogException cause) {}
  }
}
