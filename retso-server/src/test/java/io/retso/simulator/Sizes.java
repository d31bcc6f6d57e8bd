package io.retso.simulator;

import io.retso.front.FrontDesk;
import io.retso.oracle.Changes;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Timestamps;
import io.retso.sequencer.SequencerSettings;
import java.util.Random;
import java.util.function.LongSupplier;

/** Sizes of a simulated world: tiny, so that every rare path is taken all the time. */
record Sizes(
    int mapRows,
    int windowTimestamps,
    int uncleanedCommits,
    SequencerSettings sequencer,
    int clients,
    int workersPerClient,
    int rowRange,
    long faultEvery,
    long firstTimestamp,
    long timeLimit,
    long lease,
    Isolation isolation) {

  /** What transactions ask for. */
  enum Isolation {
    /** None is serializable. */
    SNAPSHOT,
    /** Some are, of those that read rows. */
    SERIALIZABLE_ROWS,
    /** Some are, and scan: a transaction that writes names granules. */
    SERIALIZABLE_SCANS
  }

  /** The most rows of one simulated transaction. */
  static final int TRANSACTION_ROWS = 6;

  /** More than a simulated client ever has outstanding, so that a frame takes all of them. */
  static final int FRAME_REQUESTS = 160;

  static final FrontDesk.Bounds BOUNDS =
      new FrontDesk.Bounds(FRAME_REQUESTS, Footprint.IDS_MAX, 8, 5 * Simulation.MILLIS);

  /** Mostly long enough for an entry, and far shorter than a deposed server may live. */
  private static final int LEASE_MILLIS_MIN = 4;

  private static final int LEASE_MILLIS_MAX = 12;

  /** Heartbeats within a lease; an idle server leaves out four of five. */
  private static final int HEARTBEATS = 30;

  /** What a world has; each server has clocks of its own. */
  private static final SequencerSettings.Timing NO_TIMING =
      new SequencerSettings.Timing(() -> 0, () -> 0, 1, 0);

  private static final int FRAME_BYTES = 12 + FRAME_REQUESTS * (28 + Footprint.IDS_MAX * 8);

  /** Timestamps are compared by their lower 32 bits: where these wrap. */
  private static final int WRAP_BITS = 31;

  static Sizes random(Random random) {
    return snapshot(random).serializable(random);
  }

  /** Sizes of a world without serializable transactions. */
  static Sizes snapshot(Random random) {
    int clients = 2 + random.nextInt(5);
    int workers = 1 + random.nextInt(4);
    int window = 1 << 5 + random.nextInt(5);
    SequencerSettings.EntryBytes bytes =
        new SequencerSettings.EntryBytes(
            60 + random.nextInt(400), 16 + random.nextInt(random.nextInt(2) + 100), FRAME_BYTES);
    SequencerSettings settings =
        new SequencerSettings(
            1 + random.nextInt(4), reservation(random, window), true, bytes, NO_TIMING);
    return new Sizes(
        5 + random.nextInt(random.nextBoolean() ? 20 : 400),
        window,
        3 + random.nextInt(clients * workers + 20),
        settings,
        clients,
        workers,
        4 + random.nextInt(random.nextBoolean() ? 12 : 100),
        (2 + random.nextInt(20)) * Simulation.MILLIS,
        firstTimestamp(random),
        (random.nextBoolean() ? 2 + random.nextInt(20) : 100_000) * Simulation.MILLIS,
        (LEASE_MILLIS_MIN + random.nextInt(LEASE_MILLIS_MAX - LEASE_MILLIS_MIN + 1))
            * Simulation.MILLIS,
        Isolation.SNAPSHOT);
  }

  /** Half of the worlds get serializable transactions; the others stay as they were drawn. */
  private Sizes serializable(Random random) {
    if (random.nextInt(101) < 50) { // nextBoolean() is mostly the same for all small seeds
      return this;
    }
    boolean atWrap = random.nextInt(4) == 0;
    long wrap = (1L + random.nextInt(2) << WRAP_BITS) - random.nextInt(4 * windowTimestamps);
    return new Sizes(
        mapRows,
        windowTimestamps,
        uncleanedCommits,
        sequencer,
        clients,
        workersPerClient,
        rowRange,
        faultEvery,
        atWrap ? wrap * Timestamps.GAP : firstTimestamp,
        timeLimit,
        lease,
        random.nextBoolean() ? Isolation.SERIALIZABLE_ROWS : Isolation.SERIALIZABLE_SCANS);
  }

  /** These sizes with others for what is named here. */
  private Sizes with(int window, int reservation, int entryBytes, Isolation other) {
    SequencerSettings.EntryBytes bytes = sequencer.entryBytes();
    return new Sizes(
        mapRows,
        window,
        uncleanedCommits,
        new SequencerSettings(
            sequencer.entriesInFlight(),
            reservation,
            sequencer.durable(),
            new SequencerSettings.EntryBytes(entryBytes, bytes.worthwhile(), bytes.frameMax()),
            sequencer.timing()),
        clients,
        workersPerClient,
        rowRange,
        faultEvery,
        firstTimestamp,
        timeLimit,
        lease,
        other);
  }

  /** Segments are short, too, and the log is rolled and trimmed all the time. */
  Sizes withAShortWindow() {
    return with(32, sequencer.reservationTimestamps(), sequencer.entryBytes().enough(), isolation);
  }

  /** A reservation outlasts segments. */
  Sizes reservingMoreThanAWindow() {
    return with(windowTimestamps, 4 * windowTimestamps, sequencer.entryBytes().enough(), isolation);
  }

  /** Replies to begins wait for the log now and then. */
  Sizes reservingOften() {
    return with(windowTimestamps, 12, sequencer.entryBytes().enough(), isolation);
  }

  /** Most transactions are serializable. */
  Sizes serializable() {
    Isolation any = isSerializable() ? isolation : Isolation.SERIALIZABLE_ROWS;
    return with(
        windowTimestamps, sequencer.reservationTimestamps(), sequencer.entryBytes().enough(), any);
  }

  boolean isSerializable() {
    return isolation != Isolation.SNAPSHOT;
  }

  /**
   * Some are longer than all segments of a window; a server refuses that, a sequencer does not. A
   * server begins with a 16th: most begin with some timestamps at a time, a quarter with a few.
   */
  private static int reservation(Random random, int window) {
    int timestamps = 4 + random.nextInt(random.nextInt(4) == 0 ? 4 * window : 60);
    return timestamps % 4 == 0 ? timestamps : 16 * timestamps;
  }

  /** What an operator may change between two lives of a server. */
  Sizes resized(Random random) {
    int window =
        random.nextInt(3) > 0 ? windowTimestamps : windowTimestamps << 1 >> random.nextInt(3);
    int rows = random.nextInt(3) > 0 ? mapRows : 1 + random.nextInt(2 * mapRows);
    return new Sizes(
        rows,
        window,
        uncleanedCommits,
        sequencer,
        clients,
        workersPerClient,
        rowRange,
        faultEvery,
        firstTimestamp(random),
        random.nextInt(3) > 0 ? timeLimit : (2 + random.nextInt(50)) * Simulation.MILLIS,
        lease,
        isolation);
  }

  /** Another one at each start, as the clock is; only that of the first start may count. */
  private static long firstTimestamp(Random random) {
    return (1 + random.nextInt(1 << random.nextInt(31))) * (long) Timestamps.GAP;
  }

  /** The settings of a server with these clocks. */
  SequencerSettings sequencer(LongSupplier nanoClock, LongSupplier wallClock) {
    long byClock = SimulatedProcess.CLOCK_SPEED * lease;
    return new SequencerSettings(
        sequencer.entriesInFlight(),
        sequencer.reservationTimestamps(),
        sequencer.durable(),
        sequencer.entryBytes(),
        new SequencerSettings.Timing(nanoClock, wallClock, byClock, byClock / HEARTBEATS));
  }

  StatusOracle oracle(Changes changes) {
    return new StatusOracle(mapRows, windowTimestamps, uncleanedCommits, changes);
  }

  /** The window's length as a distance of timestamps. */
  long windowSpan() {
    return (long) windowTimestamps << Timestamps.GAP_BITS;
  }
}
