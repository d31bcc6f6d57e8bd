package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The container image: that its parts fit together, and that it is the same each time; {@link
 * KubernetesTest} runs it. Skipped where Debian's packages are not to be had.
 */
@Timeout(900)
class ImageTest {
  @TempDir static Path directory;

  private static Path image;

  @BeforeAll
  static void build() throws Exception {
    image = ContainerImage.unpacked(directory.resolve("one"));
  }

  @Test
  void theSameTarballAndPackagesMakeTheSameBytes() throws Exception {
    Path again = directory.resolve("again.tar");
    ContainerImage.build(again, Map.of("TZ", "Asia/Kathmandu"), "umask 077; ");
    assertEquals(-1, Files.mismatch(directory.resolve("one/image.tar"), again));
  }

  @Test
  void everyPartHasItsDigest() throws Exception {
    Path blobs = image.resolve("blobs/sha256");
    try (Stream<Path> files = Files.list(blobs)) {
      for (Path file : files.toList()) {
        assertEquals(file.getFileName().toString(), digest(file));
      }
    }
    JsonObject manifest = ContainerImage.manifest(image);
    JsonObject config = ContainerImage.part(image, manifest.get("config")).getAsJsonObject();
    JsonArray layers = manifest.getAsJsonArray("layers");
    JsonArray unpacked = config.getAsJsonObject("rootfs").getAsJsonArray("diff_ids");
    assertEquals(3, layers.size());
    for (int i = 0; i < 3; i++) {
      JsonObject layer = layers.get(i).getAsJsonObject();
      assertEquals(layer.get("digest"), unpacked.get(i), "it is not compressed");
      Path file = ContainerImage.blob(image, layer.get("digest"));
      assertEquals(layer.get("size").getAsLong(), Files.size(file));
    }
    JsonElement older = JsonParser.parseString(Files.readString(image.resolve("manifest.json")));
    JsonObject one = older.getAsJsonArray().get(0).getAsJsonObject();
    assertTrue(Files.exists(image.resolve(one.get("Config").getAsString())));
    assertEquals(3, one.getAsJsonArray("Layers").size());
  }

  private static String digest(Path file) throws Exception {
    MessageDigest sha = MessageDigest.getInstance("SHA-256");
    try (InputStream in = new DigestInputStream(Files.newInputStream(file), sha)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
    return HexFormat.of().formatHex(sha.digest());
  }
}
