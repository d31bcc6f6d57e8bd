package io.retso.verify.run;

import io.retso.cluster.ChildProcess;
import io.retso.cluster.LocalCluster;
import io.retso.verify.faults.Fault;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Kills and stops the servers of a cluster on this machine. Used by one thread.
 *
 * <p>The first of HBase's processes is the master, the others are region servers.
 */
final class ProcessFaults implements Round.Servers {
  private static final int DOWN_MILLIS_MAX = 2000;
  private static final int STOPPED_MILLIS_MAX = 2000;
  private static final long SIGNAL_SECONDS_MAX = 10;

  private final LocalCluster cluster;

  ProcessFaults(LocalCluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public List<Fault> faults() {
    return List.of(
        new Fault("server-kill", this::killServer),
        new Fault("master-kill", this::killMaster),
        new Fault("oracle-kill", this::killOracle),
        new Fault("oracle-pause", this::pauseOracle));
  }

  /** The write-ahead log brings back what was acknowledged. */
  private String killServer(Random random) throws IOException, InterruptedException {
    int servers = cluster.hbaseProcesses().size() - 1;
    int index = 1 + random.nextInt(servers);
    cluster.hbaseProcesses().get(index).kill();
    Thread.sleep(random.nextInt(DOWN_MILLIS_MAX));
    cluster.restartRegionServer(index);
    return "region server " + index + " killed and started again";
  }

  /** Whatever it was about to do with regions is finished by the next one. */
  private String killMaster(Random random) throws IOException, InterruptedException {
    cluster.hbaseProcesses().get(0).kill();
    Thread.sleep(random.nextInt(DOWN_MILLIS_MAX));
    cluster.restartMaster();
    return "master killed and started again";
  }

  private String killOracle(Random random) throws IOException, InterruptedException {
    cluster.oracleProcess().kill();
    Thread.sleep(random.nextInt(DOWN_MILLIS_MAX));
    cluster.restartOracle();
    return "oracle killed and started again";
  }

  private String pauseOracle(Random random) throws IOException, InterruptedException {
    ChildProcess oracle = cluster.oracleProcess();
    int millis = 1 + random.nextInt(STOPPED_MILLIS_MAX);
    signal("STOP", oracle);
    try {
      Thread.sleep(millis);
    } finally {
      signal("CONT", oracle);
    }
    return "oracle stopped for " + millis + " ms";
  }

  private static void signal(String signal, ChildProcess process)
      throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (!kill.waitFor(SIGNAL_SECONDS_MAX, TimeUnit.SECONDS) || kill.exitValue() != 0) {
      throw new IOException("kill -" + signal + " " + process.pid() + " failed");
    }
  }

  @Override
  public int heal() throws IOException, InterruptedException {
    int started = 0;
    if (!cluster.hbaseProcesses().get(0).isAlive()) {
      cluster.restartMaster();
      started++;
    }
    for (int i = 1; i < cluster.hbaseProcesses().size(); i++) {
      if (!cluster.hbaseProcesses().get(i).isAlive()) {
        cluster.restartRegionServer(i);
        started++;
      }
    }
    if (!cluster.oracleProcess().isAlive()) {
      cluster.restartOracle();
      started++;
    }
    return started;
  }
}
