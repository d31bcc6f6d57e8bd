package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.log.LogException;
import io.retso.protocol.Frames;
import io.retso.server.config.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The embedded ZooKeeper's files are damaged: a server must not begin as if it were new. */
@Timeout(300)
class LostCatalogTest {
  @TempDir private Path dir;

  private Path data() {
    return dir.resolve("data");
  }

  private RetsoServer start() throws Exception {
    return RetsoServer.start(TestServers.small().set(Settings.DATA_DIR, data()).build());
  }

  private long startAndCommit(int row) throws Exception {
    try (RetsoServer server = start();
        DurableServerTest.Peer peer = new DurableServerTest.Peer(server.port())) {
      long commit = peer.commit(peer.begin(), row).getLong(Frames.HEADER_BYTES);
      assertTrue(commit > 0);
      return commit;
    }
  }

  /** All of the data directory: a start that succeeds changes the bookie's files, too. */
  private Map<Path, byte[]> files() throws IOException {
    Map<Path, byte[]> files = new HashMap<>();
    try (Stream<Path> all = Files.walk(data())) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        files.put(file, Files.readAllBytes(file));
      }
    }
    return files;
  }

  private void restore(Map<Path, byte[]> files) throws IOException {
    try (Stream<Path> all = Files.walk(data())) {
      for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    for (Map.Entry<Path, byte[]> file : files.entrySet()) {
      Files.createDirectories(file.getKey().getParent());
      Files.write(file.getKey(), file.getValue());
    }
    Files.setPosixFilePermissions(
        data().resolve("secret"), PosixFilePermissions.fromString("rw-------"));
  }

  private static int used(byte[] log) {
    int end = log.length;
    while (end > 0 && log[end - 1] == 0) {
      end--;
    }
    return end;
  }

  /** Starts on damaged files: it recovers all or is refused, and is never new. */
  private boolean isRefused(Map<Path, byte[]> sound, long commit, String what) throws Exception {
    try (RetsoServer server = start();
        DurableServerTest.Peer peer = new DurableServerTest.Peer(server.port())) {
      assertEquals(2, server.recoveredTransactions(), what);
      assertTrue(peer.begin() > commit, what);
      return false;
    } catch (LogException | IOException e) {
      return true;
    } finally {
      restore(sound);
    }
  }

  @Test
  void aTransactionLogThatEndsTooEarlyIsNoticed() throws Exception {
    startAndCommit(1);
    long commit = startAndCommit(2);
    Map<Path, byte[]> sound = files();
    int refused = 0;
    for (Path file : sound.keySet().stream().sorted().toList()) {
      if (!file.startsWith(data().resolve("zookeeper/version-2"))) {
        continue;
      }
      byte[] bytes = sound.get(file);
      int at = 2 * used(bytes) / 3;
      Files.write(file, Arrays.copyOf(bytes, at));
      refused += isRefused(sound, commit, file.getFileName() + " ends at " + at) ? 1 : 0;
      byte[] flipped = bytes.clone();
      flipped[at] ^= 4;
      Files.write(file, flipped);
      refused += isRefused(sound, commit, file.getFileName() + " flipped at " + at) ? 1 : 0;
    }
    assertTrue(refused > 0, "nothing that matters was damaged");
    try (RetsoServer server = start()) {
      assertEquals(2, server.recoveredTransactions(), "whole again");
    }
  }

  @Test
  void aZooKeeperWithoutDataIsNoticed() throws Exception {
    startAndCommit(1);
    Map<Path, byte[]> files = files();
    files.keySet().removeIf(file -> file.startsWith(data().resolve("zookeeper")));
    restore(files);
    IOException e = assertThrows(IOException.class, this::start);
    assertTrue(e.getMessage().contains("timestamps.first"), e.getMessage());
  }
}
