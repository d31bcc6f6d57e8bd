package io.retso.server.embedded;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.retso.log.bookkeeper.ZooKeeperAccess;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.bookkeeper.common.component.LifecycleComponentStack;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.discover.RegistrationManager;
import org.apache.bookkeeper.meta.exceptions.MetadataException;
import org.apache.bookkeeper.proto.BookieServer;
import org.apache.bookkeeper.server.EmbeddedServer;
import org.apache.bookkeeper.server.conf.BookieConfiguration;
import org.apache.bookkeeper.stats.NullStatsLogger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A real ZooKeeper and real bookies in this process, for a server that is to be durable without a
 * cluster. They listen on the loopback address only.
 *
 * <pre>
 *   dataDir/lock               held while this object is open
 *   dataDir/location           the directory's own path
 *   dataDir/catalog.*          the version that ZooKeeper's list of the log's ledgers has at least
 *   dataDir/zookeeper/         transactions and snapshots; "port" is the port of last time
 *   dataDir/bookie-0/journal/  what makes an append durable; at most about 0.5 GB
 *   dataDir/bookie-0/ledgers/  the entries, until their ledger is deleted and collected
 * </pre>
 *
 * <p>A bookie's identity is its name, {@code bookie-<i>}, and not its address, so its port may be
 * another at every start. It lives in its directory together with the directory's path: move a data
 * directory only by a symbolic link. ZooKeeper takes the port of last time if that is free.
 *
 * <p>A bookie ends itself when its disk fails it, for example because it is full. It is started
 * again, a second later, until it runs.
 *
 * <p><strong>Memory.</strong> ZooKeeper and one bookie add about 270 MB to the process: 110 MB of
 * direct memory (64 MB of it for entries that are not yet in the entry log), 16 MB of heap, the
 * rest RocksDB, code and threads. Each further bookie adds 120 MB of direct memory and its like.
 * See {@link BookieSettings}.
 *
 * <p>Thread-safe.
 */
public final class EmbeddedBookKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedBookKeeper.class);
  private static final int WATCH_SECONDS = 1;

  private final Path dataDir;
  private final boolean sync;
  private final ZooKeeperAccess access;
  private final Consumer<ServerConfiguration> tuning;
  private final FileChannel lockFile;
  private final Running[] running;
  private final ScheduledExecutorService watch =
      Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("bookie-watch", true));
  private EmbeddedZooKeeper zooKeeper;

  /** A bookie, and its way to ZooKeeper. */
  private record Running(
      LifecycleComponentStack stack, BookieServer server, SessionBookieDriver driver) {
    void close() {
      stack.close();
      driver.close();
    }
  }

  private EmbeddedBookKeeper(
      Path dataDir,
      int bookies,
      boolean sync,
      ZooKeeperAccess access,
      Consumer<ServerConfiguration> tuning,
      FileChannel lockFile) {
    this.dataDir = dataDir;
    this.sync = sync;
    this.access = access;
    this.tuning = tuning;
    this.lockFile = lockFile;
    this.running = new Running[bookies];
  }

  /** Like the other, open to all accounts of this machine. */
  public static EmbeddedBookKeeper start(Path dataDir, int bookies, boolean sync)
      throws IOException {
    return start(dataDir, bookies, sync, ZooKeeperAccess.OPEN, configuration -> {});
  }

  /** Like the other, with a last word on each bookie's configuration. */
  public static EmbeddedBookKeeper start(
      Path dataDir, int bookies, boolean sync, Consumer<ServerConfiguration> tuning)
      throws IOException {
    return start(dataDir, bookies, sync, ZooKeeperAccess.OPEN, tuning);
  }

  /** Like the other, for one server alone, which bookies know by a key. */
  public static EmbeddedBookKeeper start(
      Path dataDir, int bookies, boolean sync, ZooKeeperAccess access, BookieKey key)
      throws IOException {
    return start(dataDir, bookies, sync, access, key::ofBookie);
  }

  /**
   * Starts ZooKeeper and bookies; returns when they serve.
   *
   * @param dataDir created if it does not exist
   * @param bookies how many, at least 1; may grow from start to start
   * @param sync whether an append is on the disk before it is acknowledged. Without, a crash of the
   *     machine (not of the process) loses what was acknowledged in the last second or so
   * @param access the identity of bookies in ZooKeeper, and which clients may read and change what
   *     is in it
   * @param tuning has the last word on each bookie's configuration
   * @throws LockedException if what is there belongs to a server with another secret
   * @throws IOException if another process uses the directory, the disk is full, or something in
   *     the directory does not belong there; the message says what to do
   */
  public static EmbeddedBookKeeper start(
      Path dataDir,
      int bookies,
      boolean sync,
      ZooKeeperAccess access,
      Consumer<ServerConfiguration> tuning)
      throws IOException {
    if (bookies < 1) {
      throw new IllegalArgumentException("bookies must be at least 1, not " + bookies);
    }
    Path directory = dataDir.toAbsolutePath().normalize();
    DataDirectory.prepare(directory);
    FileChannel lock;
    try {
      lock = lock(directory);
    } catch (FileSystemException e) {
      throw DataDirectory.unusable(directory, e);
    }
    EmbeddedBookKeeper started =
        new EmbeddedBookKeeper(directory, bookies, sync, access, tuning, lock);
    try {
      started.startAll();
      return started;
    } catch (IOException | RuntimeException | Error e) {
      started.close();
      throw e;
    }
  }

  private static FileChannel lock(Path directory) throws IOException {
    Path path = directory.resolve("lock");
    FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      lock = null; // by this process
    }
    if (lock == null) {
      channel.close();
      throw new IOException(
          directory
              + " is in use by another server; stop that one or choose another data directory");
    }
    return channel;
  }

  private void startAll() throws IOException {
    checkDisk();
    checkLocation();
    zooKeeper = EmbeddedZooKeeper.start(dataDir.resolve("zookeeper"), access);
    if (!zooKeeper.exists(BookieSettings.LEDGERS_ROOT + "/INSTANCEID")) {
      checkNothingIsStored();
      format();
    }
    // A process that was killed leaves its bookies registered until ZooKeeper's session times out,
    // and a bookie waits for that. The lock says that they are dead.
    for (int i = 0; i < running.length; i++) {
      zooKeeper.delete(BookieSettings.LEDGERS_ROOT + "/available/" + BookieSettings.name(i));
    }
    startBookies();
    watch.scheduleWithFixedDelay(
        this::restartEnded, WATCH_SECONDS, WATCH_SECONDS, TimeUnit.SECONDS);
  }

  private synchronized void restartEnded() {
    for (int i = 0; i < running.length; i++) {
      if (running[i] != null && !running[i].server.isRunning()) {
        LOG.warn("{} has ended; starts it again", BookieSettings.name(i));
        restart(i);
      }
    }
  }

  private void restart(int bookie) {
    Running ended = running[bookie];
    try {
      ended.close();
      running[bookie] = run(bookie);
    } catch (IOException | RuntimeException | Error e) { // a periodic task that throws ends
      LOG.warn("{}; tries again", ErrorText.of(e));
    }
  }

  private void checkDisk() throws IOException {
    Optional<String> fullDisk = fullDisk();
    if (fullDisk.isPresent()) {
      throw new IOException(fullDisk.get() + " or choose another data directory");
    }
  }

  /** What the operator needs to know if the disk has no room for appends; empty if it has. */
  public Optional<String> fullDisk() throws IOException {
    FileStore store = Files.getFileStore(dataDir);
    long free = store.getUsableSpace();
    double used = 1 - (double) free / store.getTotalSpace();
    double usedMax = BookieSettings.diskUsedMax(store);
    if (used <= usedMax) {
      return Optional.empty();
    }
    return Optional.of(
        String.format(
            Locale.ROOT,
            "the disk of %s is full: %d MB are free, at least %d MB must be; free some space",
            dataDir,
            free >> 20,
            (long) Math.ceil((1 - usedMax) * store.getTotalSpace() / (1 << 20))));
  }

  /** A bookie compares its paths by itself, too, but says it badly and leaves threads behind. */
  private void checkLocation() throws IOException {
    Path file = dataDir.resolve("location");
    String location = Files.exists(file) ? Files.readString(file).strip() : "";
    if (location.isEmpty()) { // also after a power failure just after it was made
      Files.writeString(file, dataDir + "\n");
      return;
    }
    if (!location.equals(dataDir.toString())) {
      throw new IOException(
          "the data directory was moved from "
              + location
              + " to "
              + dataDir
              + ", and its bookies know it by its path; put it back, or a symbolic link in its"
              + " place, and use the old path");
    }
  }

  /** ZooKeeper knows of no bookie: so there must be none. */
  private void checkNothingIsStored() throws IOException {
    for (int i = 0; i < running.length; i++) {
      Path ledgers = dataDir.resolve(BookieSettings.name(i)).resolve("ledgers/current/VERSION");
      if (Files.exists(ledgers)) {
        throw new IOException(
            dataDir
                + " has a bookie with a log, but its ZooKeeper has lost all data: put back "
                + dataDir.resolve("zookeeper")
                + ", or give the log up by choosing another data directory, with timestamps.first"
                + " above every timestamp in the tables");
      }
    }
  }

  private void format() throws IOException {
    try (SessionBookieDriver driver = driver(configuration(0));
        RegistrationManager manager = driver.createRegistrationManager()) {
      manager.initNewCluster();
    } catch (Exception e) {
      throw BookieFailure.of("the first bookie", dataDir, e);
    }
  }

  private ServerConfiguration configuration(int bookie) throws IOException {
    ServerConfiguration configuration =
        BookieSettings.of(
            zookeeper(),
            access.isSecured(),
            dataDir.resolve(BookieSettings.name(bookie)),
            bookie,
            sync);
    tuning.accept(configuration);
    return configuration;
  }

  private SessionBookieDriver driver(ServerConfiguration configuration) throws MetadataException {
    SessionBookieDriver driver = new SessionBookieDriver(access);
    driver.initialize(configuration, NullStatsLogger.INSTANCE);
    return driver;
  }

  /** Side by side: each waits for ZooKeeper and the disk most of the time. */
  private void startBookies() throws IOException {
    RocksDbLibrary.load();
    if (running.length == 1) {
      startBookie(0);
      return;
    }
    ExecutorService threads = Executors.newFixedThreadPool(running.length);
    try {
      Future<?>[] starts = new Future<?>[running.length];
      for (int i = 0; i < starts.length; i++) {
        int bookie = i;
        starts[i] =
            threads.submit(
                () -> {
                  running[bookie] = run(bookie);
                  return null;
                });
      }
      for (Future<?> start : starts) {
        start.get();
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException cause
          ? cause
          : BookieFailure.of("bookies", dataDir, e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while bookies start", e);
    } finally {
      threads.shutdown();
      awaitQuietly(threads);
    }
  }

  private static void awaitQuietly(ExecutorService threads) {
    try {
      threads.awaitTermination(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Running run(int bookie) throws IOException {
    ServerConfiguration configuration = configuration(bookie);
    LifecycleComponentStack stack = null;
    SessionBookieDriver driver = null;
    try {
      driver = driver(configuration);
      EmbeddedServer server =
          EmbeddedServer.builder(new BookieConfiguration(configuration))
              .metadataDriver(driver)
              .build();
      stack = server.getLifecycleComponentStack();
      stack.start();
      BookieServer bookieServer = server.getBookieService().getServer();
      if (!bookieServer.isRunning()) {
        throw new IOException("it stopped at once; its log lines say why");
      }
      return new Running(stack, bookieServer, driver);
    } catch (Exception e) {
      if (stack != null) {
        stack.close();
      }
      if (driver != null) {
        driver.close();
      }
      throw BookieFailure.of(BookieSettings.name(bookie), dataDir, e);
    }
  }

  /** The connect string of ZooKeeper, {@code host:port}. */
  public String zookeeper() {
    return zooKeeper.address();
  }

  /**
   * The file that remembers the newest version of a catalog: this ZooKeeper is its only copy.
   *
   * @param znode the catalog's path
   */
  public Path witnessFile(String znode) {
    return dataDir.resolve("catalog" + znode.replace('/', '.'));
  }

  /** Stops a bookie as a failure would, for tests; does nothing if it is stopped. */
  public synchronized void stopBookie(int bookie) {
    if (running[bookie] != null) {
      running[bookie].close();
      running[bookie] = null;
    }
  }

  /** Starts a bookie with what it has stored; does nothing if it runs. */
  public synchronized void startBookie(int bookie) throws IOException {
    if (running[bookie] == null) {
      running[bookie] = run(bookie);
    }
  }

  /** A bookie that runs. */
  synchronized BookieServer server(int bookie) {
    return running[bookie].server;
  }

  /** Stops everything. All that was acknowledged is there at the next start. */
  @Override
  public synchronized void close() throws IOException {
    watch.shutdownNow();
    try {
      for (int i = 0; i < running.length; i++) {
        stopBookie(i);
      }
      if (zooKeeper != null) {
        zooKeeper.close();
      }
    } finally {
      lockFile.close();
    }
  }
}
