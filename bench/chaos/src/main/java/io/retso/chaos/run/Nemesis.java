package io.retso.chaos.run;

import io.retso.chaos.clients.Clients;
import io.retso.cluster.ClusterException;
import io.retso.cluster.nodes.Cluster;
import io.retso.text.ErrorText;
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
  private final TakeOverLog log;
  private final Readiness readiness;
  private final long origin;
  private final List<Trial> trials = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();
  private final List<String> notOver = new ArrayList<>();

  /** What is waited for between the end of a fault and that of its trial. */
  public interface Readiness {
    void await(Clients clients) throws IOException, InterruptedException;
  }

  /**
   * Before any fault.
   *
   * @param readiness take-overs count as long
   * @param origin the {@link System#nanoTime} from which times count
   */
  public Nemesis(Cluster cluster, ClusterFaults faults, Readiness readiness, long origin) {
    this.faults = faults;
    this.log = new TakeOverLog(cluster);
    this.readiness = readiness;
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
    long began = System.currentTimeMillis();
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
      throw new IOException(fault.name() + " failed: " + ErrorText.of(e), e);
    } finally {
      faults.repair();
    }
    Clients.Gaps gaps = clients.over();
    if (!gaps.over()) {
      notOver.add(
          fault.name() + " (" + what + "): a minute later not all clients were served again");
    }
    double to = seconds();
    readiness.await(clients);
    TakeOvers takeOvers = log.next(began);
    if (what != null) {
      Clients.Books books = gaps.over() ? clients.books() : Clients.Books.GOOD;
      String all = books.what().isEmpty() ? what : what + "; " + books.what();
      trials.add(trial(fault.name(), all, from, to, gaps, takeOvers, books));
    }
    return what != null;
  }

  private static Trial trial(
      String fault,
      String what,
      double from,
      double to,
      Clients.Gaps gaps,
      TakeOvers takeOvers,
      Clients.Books books) {
    return new Trial(
        fault,
        what,
        from,
        to,
        gaps.begin().any() / MILLI,
        gaps.commit().any() / MILLI,
        gaps.begin().worst() / MILLI,
        gaps.commit().worst() / MILLI,
        gaps.stoodStill() / MILLI,
        takeOvers,
        books.lost(),
        books.wrong());
  }
}
