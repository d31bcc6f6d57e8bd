package io.retso.bench.experiments;

import io.retso.bench.server.ServersPlan;
import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.StorePlan;
import io.retso.cluster.InProcessServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Experiments in short, on an oracle in this process. */
final class Plans {
  private static final Duration SHORT = Duration.ofMillis(100);

  private Plans() {}

  static InProcessServer server() throws IOException {
    return new InProcessServer(1_000_000, 1 << 20, 100_000);
  }

  static ExperimentPlan onOracle(InProcessServer server, Path directory) {
    ServersPlan servers =
        new ServersPlan(
            false, false, Optional.of(server.address()), 0, directory, "", List.of(), List.of());
    StorePlan stores =
        new StorePlan(List.of(StoreKind.ORACLE), servers, Optional.empty(), "", directory);
    return new ExperimentPlan(stores, 3, SHORT, SHORT, 2, 1);
  }
}
