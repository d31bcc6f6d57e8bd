package io.retso.chaos.run;

import io.retso.chaos.clients.Clients;
import io.retso.chaos.load.Successes;
import io.retso.cluster.ClusterException;
import io.retso.verify.faults.Fault;
import io.retso.verify.faults.FaultOrder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Lets faults happen to a cluster, one at a time, and measures each. For one thread. */
public final class Nemesis {
  private static final double MILLI = 1e6;

  private final ClusterFaults faults;
  private final long origin;
  private final List<Trial> trials = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();
  private final List<String> notOver = new ArrayList<>();

  /**
   * Before any fault.
   *
   * @param origin the {@link System#nanoTime} from which times count
   */
  public Nemesis(ClusterFaults faults, long origin) {
    this.faults = faults;
    this.origin = origin;
  }

  /** What happened so far. */
  public List<Trial> trials() {
    return List.copyOf(trials);
  }

  /** Faults that could not be made, and why. */
  public List<String> refused() {
    return List.copyOf(refused);
  }

  /** Faults after which clients were not served for a minute: the cluster did not recover. */
  public List<String> notOver() {
    return List.copyOf(notOver);
  }

  private double seconds() {
    return (System.nanoTime() - origin) / 1e9;
  }

  /** Lets the next fault happen, and waits until all clients are served again. */
  public void next(FaultOrder order, List<Fault> among, Clients clients, Random random)
      throws IOException, InterruptedException {
    Fault fault = order.next(among);
    if (!strike(fault, clients, random)) {
      order.refused(fault);
    }
  }

  /**
   * Lets a fault happen, and waits until all clients are served again.
   *
   * @return whether it happened
   */
  public boolean strike(Fault fault, Clients clients, Random random)
      throws IOException, InterruptedException {
    clients.fault();
    double from = seconds();
    String what = null;
    try {
      what = fault.strike().now(random);
    } catch (ClusterException e) {
      refused.add(fault.name() + ": " + e.getMessage());
    } catch (IOException | InterruptedException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(fault.name() + " failed: " + e.getMessage(), e);
    } finally {
      faults.repair();
    }
    Clients.Gaps gaps = clients.over();
    if (!gaps.isOver()) {
      notOver.add(
          fault.name() + " (" + what + "): a minute later not all clients were served again");
    }
    if (what != null) {
      trials.add(trial(fault.name(), what, from, seconds(), gaps.begin(), gaps.commit()));
    }
    return what != null;
  }

  private static Trial trial(
      String fault,
      String what,
      double from,
      double to,
      Successes.Gaps begin,
      Successes.Gaps commit) {
    return new Trial(
        fault,
        what,
        from,
        to,
        begin.any() / MILLI,
        commit.any() / MILLI,
        begin.worst() / MILLI,
        commit.worst() / MILLI);
  }
}
