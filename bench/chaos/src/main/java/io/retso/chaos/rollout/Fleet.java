package io.retso.chaos.rollout;

import io.retso.cluster.SecuredFiles;
import io.retso.text.ErrorText;
import io.retso.tls.PrivateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The members with their files, as an operator changes them, one after the other. */
final class Fleet {
  /** What servers without a secret go by; while it is a line of theirs, what they began counts. */
  private static final String NO_SECRET = Base64.getEncoder().encodeToString(new byte[32]);

  /** Members start without a secret, which takes this. */
  static final Map<String, String> INSECURE = Map.of("insecure", "yes-i-know", "secret.file", "");

  private static final long PATIENCE_NANOS = 60_000_000_000L;
  private static final long POLL_MILLIS = 20;

  private final Oracles oracles;
  private final SecuredFiles files;
  private final Operator operator;
  private final Supplier<String> leaderNow;
  private final List<Levels> levels;
  private boolean insecure = true;

  /**
   * Members as they start, without files.
   *
   * @param leaderNow the address of the one that leads, as clients see it
   */
  Fleet(Oracles oracles, SecuredFiles files, Supplier<String> leaderNow) {
    this.oracles = oracles;
    this.files = files;
    this.operator = new Operator(oracles.http(), files.ofOperators());
    this.leaderNow = leaderNow;
    levels = new ArrayList<>(Collections.nCopies(oracles.addresses().size(), Levels.OFF));
  }

  /** How many there are. */
  int size() {
    return levels.size();
  }

  /** The number of the one that leads; waits until there is one. */
  int leader() throws IOException, InterruptedException {
    await("a leader", () -> oracles.addresses().contains(leaderNow.get()));
    return oracles.addresses().indexOf(leaderNow.get());
  }

  /** Those that stand by. */
  List<Integer> standbys() throws IOException, InterruptedException {
    List<Integer> all = new ArrayList<>();
    int leader = leader();
    for (int i = 0; i < size(); i++) {
      if (i != leader) {
        all.add(i);
      }
    }
    return all;
  }

  /** Waits for what others do. */
  static void await(String what, BooleanSupplier holds) throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new IOException("not within a minute: " + what);
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private Path access(int member) {
    return files.directory().resolve("access-" + member);
  }

  private Path secret() {
    return files.directory().resolve("secret");
  }

  private void write(Path file, String text) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    PrivateFile.make(next, text);
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private void writeAccess(int member, Levels of) throws IOException {
    write(access(member), of.in(Files.readString(files.access())));
    levels.set(member, of);
  }

  /** Gives all their files and settings, and restarts standbys, then the leader. */
  void giveFiles() throws IOException, InterruptedException {
    write(secret(), files.secret() + NO_SECRET + "\n");
    List<Integer> order = standbys();
    order.add(leader());
    for (int member : order) {
      writeAccess(member, Levels.OFF);
      if (member == leader()) {
        handOver();
      }
      oracles.restart(member, settings(member));
    }
  }

  private Map<String, String> settings(int member) {
    Map<String, String> all = new HashMap<>(files.ofMembers());
    all.put("access.file", access(member).toString());
    all.put("secret.file", secret().toString());
    if (insecure) {
      all.put("insecure", "yes-i-know");
    }
    return all;
  }

  /** Has what was begun without a secret count no more. */
  void dropNoSecret() throws IOException {
    write(secret(), files.secret());
    for (int i = 0; i < size(); i++) {
      operator.reload(i, levels.get(i).takeTls());
    }
    insecure = false;
  }

  /** Changes what a member asks, by a reload. */
  void levels(int member, Levels next) throws IOException {
    boolean byTls = levels.get(member).takeTls();
    writeAccess(member, next);
    String said;
    try {
      said = operator.reload(member, byTls);
    } catch (IOException e) { // it may have looked at its files by itself by now
      said = operator.reload(member, next.takeTls());
    }
    if (!said.contains(next.toString())) {
      throw new IOException("after a reload to " + next + " a member said: " + said);
    }
  }

  /** Changes what all ask, the leader first; some may do so already. */
  void levels(Levels next) throws IOException, InterruptedException {
    levels(leader(), next);
    for (int standby : standbys()) {
      levels(standby, next);
    }
  }

  /** Has the leader hand over: a standby may not be ready at once. */
  void handOver() throws IOException, InterruptedException {
    int leader = leader();
    IOException[] refused = new IOException[1];
    try {
      await(
          "a hand-over",
          () -> {
            try {
              operator.handOver(leader, levels.get(leader).takeTls());
              return true;
            } catch (IOException e) {
              refused[0] = e;
              return false;
            }
          });
    } catch (IOException e) {
      throw new IOException(ErrorText.of(e) + ": " + ErrorText.of(refused[0]), e);
    }
    awaitAnother(leader);
  }

  /** Kills the leader, and starts it again when another one leads. */
  void killLeader() throws IOException, InterruptedException {
    int leader = leader();
    oracles.kill(leader);
    awaitAnother(leader);
    oracles.restart(leader, settings(leader));
  }

  private void awaitAnother(int leader) throws IOException, InterruptedException {
    String before = oracles.addresses().get(leader);
    await("another leader", () -> !leaderNow.get().isEmpty() && !leaderNow.get().equals(before));
  }

  /** Whether all take TLS by now. */
  boolean takesTls() {
    return levels.stream().allMatch(Levels::takeTls);
  }

  /** The clients that are connected to a member. */
  List<Operator.Connected> clients(int member) throws IOException {
    return operator.clients(member, levels.get(member).takeTls());
  }
}
