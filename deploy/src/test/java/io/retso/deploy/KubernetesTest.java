package io.retso.deploy;

import static io.retso.deploy.TestHosts.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1HTTPGetAction;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Probe;
import io.kubernetes.client.openapi.models.V1SecretVolumeSource;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeMount;
import io.retso.security.ClusterSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * The manifests for Kubernetes: each field is one that Kubernetes knows, they fit together, and
 * their containers, started in namespaces from the image's root ({@code pods.py}), become ready by
 * their own probes and serve. There is no Kubernetes here: what it does with volumes, budgets and
 * placement is not tried.
 */
@Timeout(1800)
class KubernetesTest {
  private static final int READY_SECONDS_MAX = 240;

  @TempDir static Path directory;

  private static final Map<String, V1StatefulSet> SETS = new LinkedHashMap<>();
  private static final Map<String, V1ConfigMap> SETTINGS = new TreeMap<>();
  private static final Map<String, V1Service> SERVICES = new TreeMap<>();
  private static final Map<String, V1PodDisruptionBudget> BUDGETS = new TreeMap<>();

  /** Unknown and missing fields, and wrong types, are refused by the readers. */
  @BeforeAll
  static void read() throws IOException {
    Yaml yaml = new Yaml(new SafeConstructor(new LoaderOptions()));
    for (String file : List.of("zookeeper.yaml", "bookies.yaml", "oracles.yaml")) {
      for (Object document : yaml.loadAll(Files.readString(Path.of("kubernetes", file)))) {
        String json = new Gson().toJson(document);
        JsonObject object = new Gson().fromJson(json, JsonObject.class);
        String name = object.getAsJsonObject("metadata").get("name").getAsString();
        String kind =
            object.get("apiVersion").getAsString() + " " + object.get("kind").getAsString();
        switch (kind) {
          case "apps/v1 StatefulSet" -> SETS.put(name, V1StatefulSet.fromJson(json));
          case "v1 ConfigMap" -> SETTINGS.put(name, V1ConfigMap.fromJson(json));
          case "v1 Service" -> SERVICES.put(name, V1Service.fromJson(json));
          case "policy/v1 PodDisruptionBudget" ->
              BUDGETS.put(name, V1PodDisruptionBudget.fromJson(json));
          default -> throw new IllegalStateException(file + " has a " + kind);
        }
      }
    }
  }

  @Test
  void theyFitTogether() throws IOException {
    String tarball = DistributionTest.packed(".tar.gz").getFileName().toString();
    String version = tarball.substring("retso-".length(), tarball.length() - ".tar.gz".length());
    assertEquals(3, SETS.size());
    SETS.forEach(
        (name, set) -> {
          Map<String, String> labels = set.getSpec().getTemplate().getMetadata().getLabels();
          V1Service service = SERVICES.get(set.getSpec().getServiceName());
          assertEquals(labels, set.getSpec().getSelector().getMatchLabels());
          assertEquals(labels, service.getSpec().getSelector());
          assertEquals(labels, BUDGETS.get(name).getSpec().getSelector().getMatchLabels());
          V1PodSpec pod = set.getSpec().getTemplate().getSpec();
          pod.getContainers().forEach(one -> assertEquals("retso:" + version, one.getImage()));
          List<String> volumes = new ArrayList<>();
          pod.getVolumes().forEach(volume -> volumes.add(volume.getName()));
          if (set.getSpec().getVolumeClaimTemplates() != null) {
            set.getSpec()
                .getVolumeClaimTemplates()
                .forEach(claim -> volumes.add(claim.getMetadata().getName()));
          }
          V1Container container = pod.getContainers().get(0);
          for (V1VolumeMount mount : container.getVolumeMounts()) {
            assertTrue(volumes.contains(mount.getName()), mount::getName);
          }
          service
              .getSpec()
              .getPorts()
              .forEach(
                  port ->
                      assertEquals(port.getPort(), port(container, port.getName()), port::getName));
        });
  }

  private static int port(V1Container container, String name) {
    return container.getPorts().stream()
        .filter(port -> port.getName().equals(name))
        .findFirst()
        .orElseThrow()
        .getContainerPort();
  }

  /** All of them, as Kubernetes starts them; then the leader is stopped, three times. */
  @Test
  void theirContainersServe() throws Exception {
    TestHosts.assumePossible();
    JsonObject image =
        ContainerImage.root(
            ContainerImage.unpacked(directory.resolve("image")), directory.resolve("root"));
    List<Map<String, Object>> pods = new ArrayList<>();
    for (V1StatefulSet set : SETS.values()) {
      for (int i = 0; i < set.getSpec().getReplicas(); i++) {
        pods.add(pod(set, i, image));
      }
    }
    pods.add(alone(image));
    Files.writeString(directory.resolve("pods.json"), new Gson().toJson(pods));
    List<String> names = pods.stream().map(pod -> (String) pod.get("name")).toList();
    try (TestHosts hosts =
        TestHosts.start("pods.py", directory, List.of(directory.resolve("root").toString()))) {
      for (V1StatefulSet set : SETS.values()) {
        start(hosts, set, names);
      }
      V1StatefulSet oracles = SETS.get("retso-oracle");
      String[] addresses =
          names.stream()
              .filter(name -> name.startsWith("retso-oracle"))
              .map(name -> name + ".retso-oracle:7521")
              .toArray(String[]::new);
      hosts.commit(addresses);
      // Each leads, ends as asked when it does, and comes back as a standby.
      for (int i = 0; i < addresses.length; i++) {
        String leader = leader(hosts, names);
        hosts.say("stop " + leader);
        Path ended = directory.resolve(leader + ".exit");
        await("alone", () -> Files.exists(ended));
        Path log = directory.resolve(leader + ".log");
        assertEquals("143", Files.readString(ended), () -> text(log));
        hosts.commit(addresses);
        Files.delete(ended);
        hosts.say("start " + leader);
        V1Container container = container(oracles);
        await(leader, () -> isReady(hosts, names, leader, container.getReadinessProbe(), 7522));
      }

      hosts.say("start alone");
      V1Probe health = container(oracles).getReadinessProbe();
      await("alone", () -> isReady(hosts, names, "alone", health, 7522));
      hosts.commit(address(names, "alone") + ":7521");
    }
    // Links in it lead out of it, of which JUnit would warn one by one.
    assertTrue(TestHosts.works("rm", "-r", directory.resolve("root").toString()));
  }

  private static V1Container container(V1StatefulSet set) {
    return set.getSpec().getTemplate().getSpec().getContainers().get(0);
  }

  /** Waits until one says that it leads. */
  private static String leader(TestHosts hosts, List<String> names) throws Exception {
    V1Probe leads = new V1Probe().httpGet(new V1HTTPGetAction().path("/leader"));
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS_MAX);
    while (System.nanoTime() < end) {
      for (String name : names) {
        if (name.startsWith("retso-oracle") && isReady(hosts, names, name, leads, 7522)) {
          return name;
        }
      }
      pause();
    }
    throw new IllegalStateException("none of them leads");
  }

  /** Between two looks, each of which starts processes: they take what the containers need. */
  private static void pause() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(200);
  }

  private static void start(TestHosts hosts, V1StatefulSet set, List<String> names)
      throws Exception {
    String name = set.getMetadata().getName();
    V1Container container = container(set);
    V1Probe probe = container.getReadinessProbe();
    boolean inParallel = "Parallel".equals(set.getSpec().getPodManagementPolicy());
    List<String> own = names.stream().filter(pod -> pod.startsWith(name)).toList();
    for (int pass = 0; pass < 2; pass++) {
      for (String pod : own) {
        if (pass == 0) {
          hosts.say("start " + pod);
        }
        if (pass == 1 || !inParallel) {
          int port = container.getPorts().get(container.getPorts().size() - 1).getContainerPort();
          await(pod, () -> isReady(hosts, names, pod, probe, port));
        }
      }
    }
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  /** Waits, while a container runs. */
  private static void await(String pod, Condition condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS_MAX);
    while (!condition.holds()) {
      boolean goesOn = System.nanoTime() < end && !Files.exists(directory.resolve(pod + ".exit"));
      assertTrue(goesOn, () -> text(directory.resolve(pod + ".log")));
      pause();
    }
  }

  private static String address(List<String> names, String name) {
    return TestHosts.NETWORK + (11 + names.indexOf(name));
  }

  /** What the kubelet asks. */
  private static boolean isReady(
      TestHosts hosts, List<String> names, String pod, V1Probe probe, int port) throws Exception {
    Path output = directory.resolve("probe.txt");
    if (probe.getExec() != null) {
      Path pid = directory.resolve(pod + ".pid");
      if (!Files.exists(pid)) {
        return false;
      }
      List<String> words = new ArrayList<>();
      words.addAll(
          List.of("nsenter", "--target=" + Files.readString(pid), "--mount", "--uts", "--net"));
      words.addAll(List.of("--pid", "--root", "--wd", "--setuid=7521", "--setgid=7521", "--"));
      words.addAll(probe.getExec().getCommand());
      return TestHosts.run(hosts.command(output, words)) == 0;
    }
    String connects = "exec 3<>/dev/tcp/$0/$1";
    String asks = "; printf 'GET %s HTTP/1.0\\r\\n\\r\\n' $2 >&3; head -n 1 <&3 | grep -q ' 200 '";
    boolean isHttp = probe.getHttpGet() != null;
    List<String> words = new ArrayList<>();
    words.addAll(List.of("bash", "-c", connects + (isHttp ? asks : "")));
    words.addAll(List.of(address(names, pod), Integer.toString(port)));
    words.add(isHttp ? probe.getHttpGet().getPath() : "");
    return TestHosts.run(hosts.command(output, words)) == 0;
  }

  /** A pod of a set, as {@code pods.py} takes it. */
  private static Map<String, Object> pod(V1StatefulSet set, int number, JsonObject image)
      throws IOException {
    String name = set.getMetadata().getName() + "-" + number;
    V1PodSpec spec = set.getSpec().getTemplate().getSpec();
    V1Container container = spec.getContainers().get(0);
    Path place = Files.createDirectories(directory.resolve("volumes").resolve(name));
    Map<String, String> mounts = new TreeMap<>();
    for (V1VolumeMount mount : container.getVolumeMounts()) {
      Path folder = Files.createDirectories(place.resolve(mount.getName()));
      for (V1Volume volume : spec.getVolumes()) {
        if (volume.getName().equals(mount.getName()) && volume.getConfigMap() != null) {
          String settings = volume.getConfigMap().getName();
          for (Map.Entry<String, String> file : SETTINGS.get(settings).getData().entrySet()) {
            Files.writeString(folder.resolve(file.getKey()), file.getValue());
          }
        } else if (volume.getName().equals(mount.getName()) && volume.getSecret() != null) {
          writeSecret(folder.resolve("secret"), spec, volume.getSecret());
        }
      }
      Files.setAttribute(folder, "unix:gid", spec.getSecurityContext().getFsGroup().intValue());
      Files.setAttribute(folder, "unix:mode", 02775);
      mounts.put(mount.getMountPath(), folder.toString());
    }
    List<List<String>> commands = new ArrayList<>();
    if (spec.getInitContainers() != null) {
      spec.getInitContainers().forEach(first -> commands.add(first.getCommand()));
    }
    commands.add(container.getCommand());
    return Map.of(
        "name", name,
        "aliases", List.of(name + "." + set.getSpec().getServiceName()),
        "commands", commands,
        "env", environment(image),
        "directory", image.get("WorkingDir").getAsString(),
        "user", spec.getSecurityContext().getRunAsUser(),
        "mounts", mounts);
  }

  /** All pods get the same. With an fsGroup Kubernetes lets that group read what a pod is given. */
  private static void writeSecret(Path file, V1PodSpec spec, V1SecretVolumeSource source)
      throws IOException {
    assertEquals("retso-oracle", source.getSecretName(), "as the first lines of oracles.yaml say");
    assertEquals(0400, source.getDefaultMode());
    Path made = directory.resolve("secret");
    if (!Files.exists(made)) {
      ClusterSecret.make(made);
    }
    Files.copy(made, file);
    Files.setAttribute(file, "unix:gid", spec.getSecurityContext().getFsGroup().intValue());
    Files.setAttribute(file, "unix:mode", 0440);
  }

  /** What {@code docker run} without a word more would do, but with smaller tables. */
  private static Map<String, Object> alone(JsonObject image) throws IOException {
    List<String> command = new ArrayList<>();
    image.getAsJsonArray("Entrypoint").forEach(word -> command.add(word.getAsString()));
    image.getAsJsonArray("Cmd").forEach(word -> command.add(word.getAsString()));
    command.add("--rows=100k");
    int user = Integer.parseInt(image.get("User").getAsString().split(":")[0]);
    Path volume = Files.createDirectories(directory.resolve("volumes/alone"));
    Files.setAttribute(volume, "unix:uid", user);
    return Map.of(
        "name", "alone",
        "aliases", List.of(),
        "commands", List.of(command),
        "env", environment(image),
        "directory", image.get("WorkingDir").getAsString(),
        "user", user,
        "mounts", Map.of("/var/lib/retso", volume.toString()));
  }

  /** With the compiler of the JVM that is quickly done: all of them start on a few cores. */
  private static Map<String, String> environment(JsonObject image) {
    Map<String, String> values = new TreeMap<>();
    values.put("RETSO_OPTS", "-XX:TieredStopAtLevel=1");
    image
        .getAsJsonArray("Env")
        .forEach(
            line -> {
              String[] parts = line.getAsString().split("=", 2);
              values.put(parts[0], parts[1]);
            });
    return values;
  }
}
