package io.retso.member;

import static java.util.stream.Collectors.toSet;

import io.retso.front.ForwardingFront;
import io.retso.front.FrontDesk;
import io.retso.front.TestTickets;
import io.retso.log.ForwardingStore;
import io.retso.log.LedgerLog;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.SequencerSettings;
import io.retso.sequencer.SharedOracle;
import io.retso.simulator.SimulatedLedgers;
import io.retso.simulator.SimulatedLedgers.Party;
import io.retso.simulator.SimulatedLedgers.Way;
import io.retso.simulator.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A member with the settings of a server, what surrounds it, and what a test does to it. */
final class TestMember implements SimulatedLedgers.Process {
  static final long TICK = Sequencer.TICK_MILLIS * Simulation.MILLIS;
  private static final long SECOND = 1_000 * Simulation.MILLIS;
  static final int WINDOW = 1 << 10;

  /** Nothing of this process happens. */
  boolean stopped;

  /** It can reach neither bookies nor ZooKeeper. */
  boolean isolated;

  boolean isolatedFromBookies;

  /** Whichever port it looks at seems to be closed. */
  boolean seesNobody;

  /** A change of the catalog that it asks for arrives then, if that is later. */
  long changesNotBefore;

  /** What it reads of the catalog is no newer than that; null if it reads what is there. */
  LedgerStore.Catalog staleCatalog;

  /** What it asks of bookies to see what is new is answered then, if that is later. */
  long pollsHangUntil;

  /** What it fences is open then, if that is later. */
  long fencesNotBefore;

  /** What leaders say reaches it only when {@link #hearRoles} is called. */
  boolean hearsRolesLate;

  /** What it rehearses, if it begins to. */
  CompletableFuture<Void> rehearsal = CompletableFuture.completedFuture(null);

  int rehearsals;

  /** What clients were told last. */
  ServerRole told = ServerRole.UNKNOWN;

  /** When it replaced the catalog. */
  final List<Long> tookOverAt = new ArrayList<>();

  private final MemberGroup group;
  private final String address;
  private final Simulation simulation;
  private final SharedOracle oracle;
  private final FrontDesk desk;
  private final Watch watch = new Watch();
  private final List<Runnable> lateRoles = new ArrayList<>();
  private final LedgerStore store;
  private final Member member;
  private Sequencer sequencer;
  private boolean alive = true;

  TestMember(MemberGroup group, String address) {
    this.group = group;
    this.address = address;
    this.simulation = group.simulation;
    oracle = new SharedOracle(changes -> new StatusOracle(1 << 10, WINDOW, 1 << 10, changes));
    OracleIdentity identity = new OracleIdentity(new UUID(1, 2), "tested");
    desk =
        new FrontDesk(
            TestTickets.settings(identity, simulation::now), new Turns(), new NoFailure());
    store =
        new ForwardingStore(group.ledgers.store(this)) {
          @Override
          public CompletableFuture<Catalog> readCatalog() {
            return staleCatalog == null
                ? super.readCatalog()
                : CompletableFuture.completedFuture(staleCatalog);
          }

          @Override
          public CompletableFuture<Catalog> replaceCatalog(Catalog expected, Content wanted) {
            return from(changesNotBefore)
                .thenCompose(passed -> super.replaceCatalog(expected, wanted));
          }

          @Override
          public CompletableFuture<Entries> openFenced(long ledger) {
            return from(fencesNotBefore)
                .thenCombine(super.openFenced(ledger), (passed, opened) -> opened);
          }

          @Override
          public CompletableFuture<Entries> openUnfenced(long ledger) {
            return super.openUnfenced(ledger).thenApply(HangingEntries::new);
          }
        };
    LedgerLog.Settings log =
        new LedgerLog.Settings((long) WINDOW << 4, 60_000 * Simulation.MILLIS, address);
    member =
        new Member(
            new Member.Settings(address, address, log, () -> 1 << 10),
            store,
            new LedgerLog.Threads(this::execute, simulation::now),
            oracle.oracle(),
            new Terms(),
            new Entrance(),
            group.roster(),
            watch);
    tick();
  }

  private final class Terms implements Term.Maker {
    @Override
    public Term next(Sequencer.Replies replies) {
      SequencerSettings.Timing timing =
          SequencerSettings.Timing.usual(
              simulation::now, () -> simulation.now() / Simulation.MILLIS);
      Sequencer made =
          new Sequencer(
              new SequencerSettings(4, 1 << 8, true, SequencerSettings.EntryBytes.USUAL, timing),
              oracle,
              replies);
      sequencer = made;
      return () -> made;
    }

    @Override
    public CompletableFuture<Void> rehearse() {
      rehearsals++;
      return rehearsal;
    }
  }

  private void tick() {
    if (alive) {
      if (!stopped) {
        member.tick();
        desk.beat();
      }
      simulation.after(TICK, this::tick);
    }
  }

  private void execute(Runnable task) {
    simulation.after(0, () -> whenAwake(task));
  }

  @Override
  public boolean isAlive() {
    return alive;
  }

  @Override
  public void whenAwake(Runnable action) {
    if (stopped) {
      simulation.after(TICK, () -> whenAwake(action));
    } else if (alive) {
      action.run();
    }
  }

  @Override
  public long cutOffUntil(Party party, Way way) {
    boolean isCutOff = isolated || isolatedFromBookies && party == Party.BOOKIES;
    return isCutOff ? simulation.now() + SECOND : 0;
  }

  @Override
  public void tookOver(int version) {
    tookOverAt.add(simulation.now());
  }

  /** Its process ends; its port is closed. */
  void die() {
    alive = false;
    group.members.values().stream()
        .filter(other -> other.alive && other.watch.watched.equals(address))
        .forEach(other -> other.execute(other.watch.gone));
  }

  /** A leader hands out so many timestamps. */
  void issue(int timestamps) {
    sequencer.begin(timestamps);
    sequencer.flush();
  }

  /** The catalog as it is now, to be read later. */
  LedgerStore.Catalog catalog() {
    CompletableFuture<LedgerStore.Catalog> reading = store.readCatalog();
    simulation.run(reading::isDone, simulation.now() + SECOND);
    return reading.join();
  }

  /** What leaders have said reaches it now. */
  void hearRoles() {
    hearsRolesLate = false;
    lateRoles.forEach(Runnable::run);
    lateRoles.clear();
  }

  private void hear(ServerRole role) {
    Consumer<ServerRole> listener = watch.said;
    if (hearsRolesLate) {
      lateRoles.add(() -> listener.accept(role));
    } else {
      listener.accept(role);
    }
  }

  void retire() {
    member.retire();
  }

  CompletableFuture<Void> handOver() {
    return member.handOver();
  }

  Member.View view() {
    return member.view();
  }

  boolean leads() {
    return alive && member.view().leads();
  }

  /** Completes at a time, or at once if that has passed. */
  private CompletableFuture<Void> from(long time) {
    CompletableFuture<Void> then = new CompletableFuture<>();
    if (time <= simulation.now()) {
      then.complete(null);
    } else {
      simulation.at(time, () -> then.complete(null));
    }
    return then;
  }

  /** A ledger whose last entry is not known for a while. */
  private final class HangingEntries implements LedgerStore.Entries {
    private final LedgerStore.Entries entries;

    HangingEntries(LedgerStore.Entries entries) {
      this.entries = entries;
    }

    @Override
    public long count() {
      return entries.count();
    }

    @Override
    public CompletableFuture<Boolean> refresh() {
      return from(pollsHangUntil).thenCombine(entries.refresh(), (passed, isClosed) -> isClosed);
    }

    @Override
    public CompletableFuture<Void> read(
        long from, long to, Executor executor, LedgerStore.EntryVisitor visitor) {
      return entries.read(from, to, executor, visitor);
    }

    @Override
    public void close() {
      entries.close();
    }
  }

  /** The front desk, and what others hear of it. */
  private final class Entrance extends ForwardingFront {
    Entrance() {
      super(desk);
    }

    @Override
    public void lead(Sequencer leading, ServerRole role) {
      super.lead(leading, role);
      told = role;
    }

    @Override
    public void follow(ServerRole role) {
      super.follow(role);
      tell(role);
    }

    @Override
    public void update(ServerRole role) {
      super.update(role);
      tell(role);
    }

    /** Those that watch it hear of it. */
    private void tell(ServerRole role) {
      told = role;
      group.members.values().stream()
          .filter(other -> other.watch.watched.equals(address))
          .forEach(other -> other.execute(() -> other.hear(role)));
    }

    @Override
    public boolean hears(String clientName) {
      return heard().anyMatch(clientName::equals);
    }

    @Override
    public Optional<Set<String>> provedStandbys() {
      return group.isClosed ? Optional.of(heard().collect(toSet())) : Optional.empty();
    }

    private Stream<String> heard() {
      return group.members.values().stream()
          .filter(other -> other.alive && other.watch.watched.equals(address))
          .map(other -> LeaderWatch.clientName(other.address));
    }
  }

  private final class Watch implements LeaderWatch {
    private String watched = "";
    private Consumer<ServerRole> said = role -> {};
    private Runnable gone = () -> {};

    @Override
    public void watch(String address, Consumer<ServerRole> listener, Runnable whenGone) {
      watched = address;
      said = listener;
      gone = whenGone;
    }

    @Override
    public boolean isGone() {
      return !watched.isEmpty() && (seesNobody || !group.members.get(watched).isAlive());
    }

    @Override
    public boolean hasAnswered() {
      return !watched.isEmpty()
          && group.members.get(watched).alive
          && !group.members.get(watched).stopped;
    }

    @Override
    public void close() {}
  }

  private final class Turns implements FrontDesk.Loop {
    @Override
    public void atEndOfTurn(Runnable task) {
      execute(task);
    }

    @Override
    public void inNextTurn(Runnable task) {
      execute(task);
    }
  }

  private static final class NoFailure implements FrontDesk.Owner {
    @Override
    public void logFailed(LogException cause) {
      throw new AssertionError(cause);
    }

    @Override
    public void stopped(Throwable cause) {
      throw new AssertionError(cause);
    }
  }
}
