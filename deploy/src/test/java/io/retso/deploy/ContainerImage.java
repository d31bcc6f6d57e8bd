package io.retso.deploy;

import static io.retso.deploy.TestHosts.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Makes the image of this build, and reads what is in it. Stateless. */
final class ContainerImage {
  private ContainerImage() {}

  /**
   * Makes the image, and unpacks the archive into a directory. Skips the test where Debian's
   * packages are not to be had.
   *
   * @return the directory, which the archive is in, too, as {@code image.tar}
   */
  static Path unpacked(Path directory) throws IOException, InterruptedException {
    assumeTrue(TestHosts.works("python3", "--version"), "there is no Python here");
    assumeTrue(TestHosts.works("dpkg-deb", "--version"), "this is no Debian");
    Files.createDirectories(directory);
    Path archive = directory.resolve("image.tar");
    build(archive, Map.of(), "");
    assertTrue(TestHosts.works("tar", "-xf", archive.toString(), "-C", directory.toString()));
    return directory;
  }

  /** Makes the image with more variables, and after a command of the shell. */
  static void build(Path archive, Map<String, String> environment, String before)
      throws IOException, InterruptedException {
    Path packages = Files.createDirectories(Path.of("target/packages"));
    Path output = Path.of(archive + ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(
                "sh",
                "-c",
                before + "exec python3 -B image/build.py \"$@\"",
                "build",
                DistributionTest.packed(".tar.gz").toString(),
                archive.toString(),
                packages.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    int code = TestHosts.run(builder);
    assumeFalse(code != 0 && text(output).contains("E: "), () -> "no packages: " + text(output));
    assertEquals(0, code, () -> text(output));
  }

  /** The manifest of an unpacked archive. */
  static JsonObject manifest(Path image) throws IOException {
    JsonElement index = JsonParser.parseString(Files.readString(image.resolve("index.json")));
    return part(image, index.getAsJsonObject().getAsJsonArray("manifests").get(0))
        .getAsJsonObject();
  }

  /** What a descriptor describes. */
  static JsonElement part(Path image, JsonElement descriptor) throws IOException {
    JsonObject described = descriptor.getAsJsonObject();
    Path file = blob(image, described.get("digest"));
    assertEquals(described.get("size").getAsLong(), Files.size(file));
    return JsonParser.parseString(Files.readString(file));
  }

  /** The file with a digest. */
  static Path blob(Path image, JsonElement digest) {
    return image.resolve("blobs/sha256").resolve(digest.getAsString().substring(7));
  }

  /**
   * Makes the image's root from its layers; owners and modes are kept, so this is for root only.
   *
   * @return how a container of it runs by default
   */
  static JsonObject root(Path image, Path root) throws IOException, InterruptedException {
    Files.createDirectories(root);
    JsonObject manifest = manifest(image);
    for (JsonElement layer : manifest.getAsJsonArray("layers")) {
      String file = blob(image, layer.getAsJsonObject().get("digest")).toString();
      assertTrue(
          TestHosts.works("tar", "-xpf", file, "--numeric-owner", "-C", root.toString()), file);
    }
    return part(image, manifest.get("config")).getAsJsonObject().getAsJsonObject("config");
  }
}
