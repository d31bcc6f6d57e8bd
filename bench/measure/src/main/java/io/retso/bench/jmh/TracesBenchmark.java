package io.retso.bench.jmh;

import io.retso.hbase.trace.TraceContext;
import io.retso.hbase.trace.Tracing;
import io.retso.hbase.trace.TransactionTrace;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What an operation and a transaction pay for traces where a process has no SDK of OpenTelemetry:
 * {@code -prof gc} shows that nothing is allocated.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class TracesBenchmark {
  private static final int KEPT_PER_READ = 4;

  private final CompletableFuture<String> pending = new CompletableFuture<>();
  private final Supplier<CompletableFuture<String>> operation = () -> pending;
  private final TransactionTrace trace =
      Tracing.ofProcess(
              () -> {
                throw new IllegalStateException("there is an SDK: run it without the agent");
              })
          .run("bench", "SNAPSHOT", false);

  /** Calls without traces, to compare with. */
  @Benchmark
  public CompletableFuture<String> readWithoutTraces() {
    CompletableFuture<String> answer = operation.get();
    for (int i = 1; i < KEPT_PER_READ; i++) {
      answer = operation.get();
    }
    return answer;
  }

  /** Calls what a read calls: an operation, and its futures that are kept in their context. */
  @Benchmark
  public CompletableFuture<String> read() {
    CompletableFuture<String> answer = trace.called(operation).get();
    for (int i = 1; i < KEPT_PER_READ; i++) {
      answer = TraceContext.keep(operation.get());
    }
    return TraceContext.keep(answer);
  }

  /** Calls what a run calls besides its operations. */
  @Benchmark
  public String run() {
    TransactionTrace own = Tracing.NONE.run("bench", "SNAPSHOT", false);
    String result = own.context().call(() -> "done");
    own.ended("committed", null);
    own.close(null);
    return result;
  }
}
