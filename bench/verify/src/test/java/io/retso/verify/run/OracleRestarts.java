package io.retso.verify.run;

import io.retso.cluster.InProcessCluster;
import io.retso.verify.faults.Fault;
import java.util.List;

/** The one fault of a cluster in the process: its oracle is restarted. */
record OracleRestarts(InProcessCluster cluster) implements Round.Servers {
  @Override
  public List<Fault> faults() {
    return List.of(
        new Fault(
            "oracle-kill",
            random -> {
              cluster.restartOracle();
              return "oracle closed and started again";
            }));
  }

  @Override
  public int heal() {
    return 0;
  }
}
