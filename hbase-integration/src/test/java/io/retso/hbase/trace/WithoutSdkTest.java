package io.retso.hbase.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.retso.client.OracleMembers;
import io.retso.client.TransactionHandle;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where there is no SDK, or no OpenTelemetry, nothing is made of it. */
class WithoutSdkTest {
  private static final Supplier<OracleMembers> UNASKED =
      () -> {
        throw new AssertionError("asked");
      };

  @BeforeEach
  void forgetOthers() {
    GlobalOpenTelemetry.resetForTest();
  }

  @Test
  void thereIsNothingThatRecords() {
    assertSame(Tracing.NONE, Tracing.ofProcess(UNASKED));
    assertSame(TransactionTrace.NONE, Tracing.NONE.run("name", "SNAPSHOT", false));
    assertSame(TransactionTrace.NONE, Tracing.NONE.transaction("name", "SNAPSHOT", true));
    assertSame(BackgroundTrace.NONE, Tracing.NONE.cleanup(1, null));
    assertSame(TraceContext.NONE, TraceContext.current());
  }

  @Test
  void stepsStayWhatTheyAre() {
    CompletableFuture<TransactionHandle> future = new CompletableFuture<>();
    Supplier<CompletableFuture<TransactionHandle>> step = () -> future;
    CompletableFuture<Long> committed = new CompletableFuture<>();
    Runnable code = () -> {};
    assertSame(step, TransactionTrace.NONE.called(step));
    assertSame(step, TransactionTrace.NONE.begin(step));
    assertSame(
        committed,
        TransactionTrace.NONE.commit(
            1,
            steps -> {
              assertNull(steps, "nothing is asked for");
              return committed;
            },
            failure -> "unasked"));
    assertSame(future, TraceContext.keep(future));
    assertSame(code, TraceContext.current().wrapped(code));
  }

  @Test
  void nothingIsAllocatedForAnOperation() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    CompletableFuture<String> future = new CompletableFuture<>();
    Supplier<CompletableFuture<String>> operation = () -> future;
    long calls = 10_000;
    keep(operation, 1); // loads classes
    long before = threads.getCurrentThreadAllocatedBytes();
    long kept = keep(operation, calls);
    long bytes = threads.getCurrentThreadAllocatedBytes() - before;
    assertEquals(calls, kept);
    assertTrue(bytes < 8 * calls, bytes + " bytes for " + calls + " calls");
  }

  private static long keep(Supplier<CompletableFuture<String>> operation, long calls) {
    long kept = 0;
    for (long i = 0; i < calls; i++) {
      CompletableFuture<String> answer = TransactionTrace.NONE.called(operation).get();
      kept += TraceContext.keep(answer) == answer ? 1 : 0;
    }
    return kept;
  }

  @Test
  void withoutOpenTelemetryClassesThatNameItAreNotLoaded() throws Exception {
    ClassLoader lacking = new Lacking();
    Class<?> context = Class.forName(TraceContext.class.getName(), true, lacking);
    assertNotEquals(TraceContext.class, context);
    Object none = context.getField("NONE").get(null);
    assertSame(none, context.getMethod("current").invoke(null));
    CompletableFuture<String> future = new CompletableFuture<>();
    assertSame(future, context.getMethod("keep", CompletableFuture.class).invoke(null, future));
    Class<?> tracing = Class.forName(Tracing.class.getName(), true, lacking);
    assertSame(
        tracing.getField("NONE").get(null),
        tracing.getMethod("ofProcess", Supplier.class).invoke(null, UNASKED));
    assertFalse(((Lacking) lacking).wasAskedForMore);
  }

  /** Has no OpenTelemetry. */
  private static final class Lacking extends ClassLoader {
    private static final String PROBE = "io.opentelemetry.api.trace.Tracer";
    private boolean wasAskedForMore;

    Lacking() {
      super(WithoutSdkTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("io.opentelemetry.")) {
        wasAskedForMore |= !name.equals(PROBE);
        throw new ClassNotFoundException(name);
      }
      if (!name.startsWith("io.retso.hbase.trace.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? define(name) : loaded;
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      Path file = Path.of("target", "classes", name.replace('.', '/') + ".class");
      try {
        byte[] bytes = Files.readAllBytes(file);
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
