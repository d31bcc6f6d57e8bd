package io.retso.report;

import io.retso.report.RunFigures.Kind;
import io.retso.report.RunFigures.LogFigures;
import io.retso.report.RunFigures.Target;
import java.util.List;
import java.util.Map;

/** Reports for tests. */
final class Samples {
  private Samples() {}

  static RunFigures run(Kind kind, Target target, int clients, double perSecond, double millis) {
    Percentiles latency =
        new Percentiles(1000, millis, millis, 2 * millis, 3 * millis, 4 * millis, 5 * millis);
    return new RunFigures(
        target,
        kind,
        true,
        clients,
        100,
        0,
        0,
        5,
        perSecond,
        990,
        10,
        0,
        0,
        0.01,
        latency,
        latency,
        latency,
        new CpuFigures(1.25, 0.9, 0.01, 0, 0.5, 0),
        target == Target.LOG_ON ? new LogFigures(10, 12_345, 99, 0.5) : null);
  }

  static Report report() {
    return new Report(
        "0.1.0 (commit abc)",
        "2026-01-01T00:00:00Z",
        List.of("--quick"),
        1,
        Map.of("cores", 2, "cpu", "a <fast> one"),
        List.of(new DiskFigures(4096, 10, 0.125, 2.5)),
        new Percentiles(10, 1, 0.9, 1.1, 1.2, 1.3, 1.4),
        List.of(
            run(Kind.SCALE, Target.LOG_OFF, 1, 500_000, 0.2),
            run(Kind.SCALE, Target.LOG_OFF, 16, 1_000_000, 1.6),
            run(Kind.SCALE, Target.LOG_ON, 1, 100_000, 1),
            run(Kind.SCALE, Target.LOG_ON, 16, 500_000, 3.2)),
        new Report.Kernel(40_000_000, 1_600_000, 0.4),
        List.of(
            new Verdict("log off", 1_200_000, true, 1_000_000, ""),
            new Verdict("begin", 1.5, false, 1.3, "3 / 2 ms")));
  }
}
