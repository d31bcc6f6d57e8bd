package io.retso.admin;

import io.retso.hbase.Hold;
import io.retso.hbase.SnapshotToken;
import io.retso.hbase.TransactionManager;
import io.retso.server.commands.ExitCode;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code retso hbase release}: ends a snapshot that is held. */
@Command(
    name = "release",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Ends a snapshot that is held, whichever process has taken it. Jobs that read it fail from"
          + " some time on.",
      ""
    })
final class ReleaseCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "NAME|TOKEN", description = "The snapshot's name, or its token.")
  private String snapshot;

  @Mixin private ClusterOptions cluster;

  @Override
  public Integer call() {
    return ClusterWork.withOracle(spec, cluster, this::release);
  }

  private int release(TransactionManager manager) throws IOException {
    try {
      if (snapshot.startsWith("retso1:")) {
        return ended(manager.release(SnapshotToken.parse(snapshot)));
      }
    } catch (IllegalArgumentException e) {
      return ClusterWork.failed(spec, ErrorText.of(e));
    }
    List<Hold> named =
        manager.holds().stream().filter(hold -> hold.name().equals(snapshot)).toList();
    return ended(!named.isEmpty() && manager.release(named.get(0).token()));
  }

  private int ended(boolean wasHeld) {
    if (!wasHeld) {
      return ClusterWork.failed(
          spec, snapshot + " is not held: 'retso hbase holds' lists those that are");
    }
    ClusterWork.println(spec, "Snapshot " + snapshot + " is released.");
    return ExitCode.CLEAN.number();
  }
}
