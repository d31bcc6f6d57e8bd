package io.retso.security;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterSecretTest {
  @TempDir Path directory;

  private Path file(String text, String permissions) throws Exception {
    Path file = Files.writeString(directory.resolve("secret"), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }

  private static String line(int bytes, int content) {
    byte[] line = new byte[bytes];
    java.util.Arrays.fill(line, (byte) content);
    return Base64.getEncoder().encodeToString(line);
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void aNewOneIsForItsOwnerAlone() throws Exception {
    Path file = directory.resolve("new/secret");
    ClusterSecret.make(file);
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    byte[] made = Files.readAllBytes(file);
    assertThrows(FileAlreadyExistsException.class, () -> ClusterSecret.make(file));
    assertArrayEquals(made, Files.readAllBytes(file), "it is not replaced");
    try (Stream<Path> files = Files.list(file.getParent())) {
      assertEquals(List.of(file), files.toList(), "nothing is left beside it");
    }
    byte[] key = ClusterSecret.readOrMake(file).keys("ticket", "log").get(0);
    assertArrayEquals(key, ClusterSecret.read(file).keys("ticket", "log").get(0));
    Path other = directory.resolve("other");
    byte[] others = ClusterSecret.readOrMake(other).keys("ticket", "log").get(0);
    assertFalse(java.util.Arrays.equals(key, others));
  }

  /** HMAC-SHA-256 of "retso ticket|log" under 32 bytes of 7, worked out by another program. */
  @Test
  void keysNeverChange() throws Exception {
    ClusterSecret secret = ClusterSecret.read(file(line(32, 7) + "\n", "rw-------"));
    assertEquals("74675bb368b363cdf86d478b531cab81", hex(secret.keys("ticket", "log").get(0)));
  }

  @Test
  void keysAreOfOnePurposeAndOneLog() throws Exception {
    ClusterSecret secret =
        ClusterSecret.read(file(line(32, 1) + "\r\n" + line(40, 2) + "\n\n", "rw-------"));
    List<byte[]> keys = secret.keys("ticket", "log");
    assertEquals(2, keys.size());
    Set<String> all =
        Set.of(
            hex(keys.get(0)),
            hex(keys.get(1)),
            hex(secret.keys("ticket", "another").get(0)),
            hex(secret.keys("other", "log").get(0)));
    assertEquals(4, all.size());
    keys.forEach(key -> assertEquals(ClusterSecret.KEY_BYTES, key.length));
    assertNotEquals(
        hex(ClusterSecret.random().keys("ticket", "log").get(0)),
        hex(ClusterSecret.random().keys("ticket", "log").get(0)));
    assertFalse(secret.toString().contains(line(32, 1)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw----r--", "rw-----w-", "rw-rw----", "rwx--x---", "rw------x"})
  void whatOthersMayReadOrChangeIsRefused(String permissions) throws Exception {
    Path file = file(line(32, 7), permissions);
    SecretException e = assertThrows(SecretException.class, () -> ClusterSecret.read(file));
    assertEquals(
        file
            + " can be read by others ("
            + permissions
            + "); chmod 600 it, and replace what it holds, as that may be known",
        e.getMessage());
  }

  @Test
  void aGroupMayReadWhatRootHasMade() throws Exception {
    Path file = file(line(32, 7), "rw-r-----");
    if (Files.getOwner(file).getName().equals("root")) {
      assertEquals(1, ClusterSecret.read(file).keys("ticket", "log").size());
    } else {
      assertThrows(SecretException.class, () -> ClusterSecret.read(file));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "hunter2", "%%%%", "c2hvcnQ=", "AAAA\u0000AAAA"})
  void whatIsNoSecretIsRefusedAndNotSaid(String text) throws Exception {
    Path file = file(text, "rw-------");
    SecretException e = assertThrows(SecretException.class, () -> ClusterSecret.read(file));
    assertTrue(e.getMessage().startsWith(file + " is no secret: "), e.getMessage());
    assertTrue(e.getMessage().contains("./retso secret " + file), e.getMessage());
    assertTrue(text.length() < 4 || !e.getMessage().contains(text), e.getMessage());
  }

  @Test
  void aFileThatIsTooLargeOrHasTooManyLinesIsRefused() throws Exception {
    Path three = file((line(32, 7) + "\n").repeat(3), "rw-------");
    SecretException many = assertThrows(SecretException.class, () -> ClusterSecret.read(three));
    assertTrue(many.getMessage().contains("has 3 lines"), many.getMessage());
    Path large = file(line(32, 7).repeat(100), "rw-------");
    SecretException e = assertThrows(SecretException.class, () -> ClusterSecret.read(large));
    assertTrue(e.getMessage().contains("has more than 4096 bytes"), e.getMessage());
  }

  @Test
  void whatIsMissingIsNamed() {
    Path file = directory.resolve("missing");
    SecretException e = assertThrows(SecretException.class, () -> ClusterSecret.read(file));
    assertTrue(e.getMessage().startsWith("there is no secret " + file), e.getMessage());
  }
}
