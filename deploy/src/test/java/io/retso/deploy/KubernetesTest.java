package io.retso.deploy;

import static io.retso.deploy.TestHosts.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1HTTPGetAction;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1NetworkPolicySpec;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Probe;
import io.kubernetes.client.openapi.models.V1SecretVolumeSource;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1StatefulSetSpec;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeMount;
import io.retso.server.ServerMain;
import io.retso.server.commands.SecureCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import picocli.CommandLine;

/**
 * The manifests for Kubernetes: each field is one that Kubernetes knows, they fit together, and
 * their containers, started in namespaces from the image's root ({@code pods.py}), become ready by
 * their own probes and serve. There is no Kubernetes here: what it does with volumes, budgets and
 * placement is not tried.
 */
@Timeout(1800)
class KubernetesTest {
  private static final int READY_SECONDS_MAX = 240;

  private static final String CONNECTS =
      """
      import socket, sys
      socket.create_connection((sys.argv[1], int(sys.argv[2])), 5)
      """;

  /** As the kubelet does, which believes every certificate. */
  private static final String ASKS =
      """
      import http.client, ssl, sys
      host, port, scheme, path = sys.argv[1:]
      if scheme == "HTTPS":
          context = ssl._create_unverified_context()
          connection = http.client.HTTPSConnection(host, int(port), timeout=5, context=context)
      else:
          connection = http.client.HTTPConnection(host, int(port), timeout=5)
      connection.request("GET", path)
      sys.exit(connection.getresponse().status != 200)
      """;

  @TempDir static Path directory;

  private static final Map<String, V1StatefulSet> SETS = new LinkedHashMap<>();
  private static final Map<String, V1ConfigMap> SETTINGS = new TreeMap<>();
  private static final Map<String, V1Service> SERVICES = new TreeMap<>();
  private static final Map<String, V1NetworkPolicy> POLICIES = new TreeMap<>();
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
          case "networking.k8s.io/v1 NetworkPolicy" ->
              POLICIES.put(name, V1NetworkPolicy.fromJson(json));
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
          V1NetworkPolicySpec policy = POLICIES.get(name).getSpec();
          assertEquals(labels, policy.getPodSelector().getMatchLabels());
          Set<Integer> reached = new TreeSet<>();
          policy
              .getIngress()
              .forEach(
                  rule -> {
                    assertFalse(rule.getFrom().isEmpty());
                    rule.getPorts().forEach(port -> reached.add(port.getPort().getIntValue()));
                  });
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
          assertEquals(
              service.getSpec().getPorts().stream()
                  .map(V1ServicePort::getPort)
                  .collect(Collectors.toCollection(TreeSet::new)),
              reached);
        });
  }

  /** The example for cert-manager, whose classes are not here, makes what the command makes. */
  @Test
  void certificatesHaveTheNamesOfAllPods() throws IOException {
    String names = members();
    V1StatefulSetSpec oracles = SETS.get("retso-oracle").getSpec();
    List<String> expected = new ArrayList<>(List.of(oracles.getServiceName()));
    for (int i = 0; i < oracles.getReplicas(); i++) {
      expected.add("retso-oracle-" + i + "." + oracles.getServiceName());
    }
    expected.add("localhost"); // of kubectl port-forward
    assertEquals(String.join(",", expected), names);
    Map<String, Object> certificate =
        new Yaml(new SafeConstructor(new LoaderOptions()))
            .load(Files.readString(Path.of("kubernetes/certificate.yaml")));
    Map<?, ?> spec = (Map<?, ?>) certificate.get("spec");
    assertEquals(expected, spec.get("dnsNames"));
    assertEquals("member-" + expected.get(0), spec.get("commonName"));
    assertEquals("retso-oracle-tls", spec.get("secretName"));
  }

  /** What the first lines of {@code oracles.yaml} say to make. */
  private static String members() throws IOException {
    Matcher command =
        Pattern.compile("(?m)^# +retso secure init keys --member (\\S+)$")
            .matcher(Files.readString(Path.of("kubernetes/oracles.yaml")));
    assertTrue(command.find());
    return command.group(1);
  }

  private static Path keys() {
    return directory.resolve("keys");
  }

  private static void makeKeys() throws IOException {
    String[] init = {"init", keys().toString(), "--member", members(), "--member", "alone"};
    assertEquals(0, new CommandLine(new SecureCommand()).execute(init));
    String[] issue = {"issue", keys().toString(), "app-test"};
    assertEquals(0, new CommandLine(new SecureCommand()).execute(issue));
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
    makeKeys();
    List<Map<String, Object>> pods = new ArrayList<>();
    for (V1StatefulSet set : SETS.values()) {
      for (int i = 0; i < set.getSpec().getReplicas(); i++) {
        pods.add(pod(set, i, image));
      }
    }
    pods.add(alone("alone", image));
    pods.add(alone("open", image));
    Files.writeString(directory.resolve("pods.json"), new Gson().toJson(pods));
    List<String> names = pods.stream().map(pod -> (String) pod.get("name")).toList();
    try (TestHosts hosts =
        TestHosts.start("pods.py", directory, List.of(directory.resolve("root").toString()))) {
      for (V1StatefulSet set : SETS.values()) {
        start(hosts, set, names);
      }
      hosts.clientsHave(keys().resolve("app-test"));
      V1StatefulSet oracles = SETS.get("retso-oracle");
      String[] addresses =
          names.stream()
              .filter(name -> name.startsWith("retso-oracle"))
              .map(name -> name + ".retso-oracle:7521")
              .toArray(String[]::new);
      hosts.commit(addresses);
      hosts.refuseStrangers(addresses);
      saysThatItIsClosed(hosts);
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
      hosts.commit("alone:7521");
      refusesToBeOpen(hosts);
    }
    // Links in it lead out of it, of which JUnit would warn one by one.
    assertTrue(TestHosts.works("rm", "-r", directory.resolve("root").toString()));
  }

  /** As the operator asks. */
  private static void saysThatItIsClosed(TestHosts hosts) throws Exception {
    Path output = directory.resolve("status.txt");
    Path own = keys().resolve("operator");
    String[] words = {
      "status",
      "--http",
      "retso-oracle-1.retso-oracle:7522",
      "--tls-ca",
      own + "/ca.crt",
      "--certificate",
      own + "/tls.crt",
      "--key",
      own + "/tls.key"
    };
    assertEquals(0, TestHosts.run(hosts.java(output, ServerMain.class, words)), () -> text(output));
    assertTrue(text(output).contains("tls required, auth required"), () -> text(output));
  }

  /** Where nothing is mounted, the server says what to do. */
  private static void refusesToBeOpen(TestHosts hosts) throws Exception {
    hosts.say("start open");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS_MAX);
    Path exit = directory.resolve("open.exit");
    while (!Files.exists(exit) && System.nanoTime() < end) {
      pause();
    }
    Path log = directory.resolve("open.log");
    assertEquals("64", text(exit), () -> text(log));
    assertTrue(text(log).contains("listen.host = 0.0.0.0 lets other machines in"), () -> text(log));
  }

  private static V1Container container(V1StatefulSet set) {
    return set.getSpec().getTemplate().getSpec().getContainers().get(0);
  }

  /** Waits until one says that it leads. */
  private static String leader(TestHosts hosts, List<String> names) throws Exception {
    V1Probe leads = new V1Probe().httpGet(new V1HTTPGetAction().scheme("HTTPS").path("/leader"));
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
    boolean isHttp = probe.getHttpGet() != null;
    List<String> words = new ArrayList<>(List.of("python3", "-c", isHttp ? ASKS : CONNECTS));
    words.addAll(List.of(address(names, pod), Integer.toString(port)));
    if (isHttp) {
      words.add(probe.getHttpGet().getScheme());
      words.add(probe.getHttpGet().getPath());
    }
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
          writeSecret(folder, spec, volume.getSecret());
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
  private static void writeSecret(Path folder, V1PodSpec spec, V1SecretVolumeSource source)
      throws IOException {
    Matcher command =
        Pattern.compile(
                "(?m)^# +kubectl create secret generic " + source.getSecretName() + "((?: \\S+)+)$")
            .matcher(Files.readString(Path.of("kubernetes/oracles.yaml")));
    assertTrue(command.find(), "its first lines say how it is made");
    assertEquals(0400, source.getDefaultMode());
    for (String word : command.group(1).strip().split(" ")) {
      String name = word.substring("--from-file=".length());
      Path file = folder.resolve(name);
      Files.copy(keys().resolve("member-retso-oracle").resolve(name), file);
      Files.setAttribute(file, "unix:gid", spec.getSecurityContext().getFsGroup().intValue());
      Files.setAttribute(file, "unix:mode", 0440);
    }
  }

  /**
   * What {@code docker run} without a word more would do, but with smaller tables; and with the
   * files that were made for its name, if there are some.
   */
  private static Map<String, Object> alone(String name, JsonObject image) throws IOException {
    List<String> command = new ArrayList<>();
    image.getAsJsonArray("Entrypoint").forEach(word -> command.add(word.getAsString()));
    image.getAsJsonArray("Cmd").forEach(word -> command.add(word.getAsString()));
    command.add("--rows=100k");
    int user = Integer.parseInt(image.get("User").getAsString().split(":")[0]);
    Map<String, String> mounts = new TreeMap<>();
    Path volume = Files.createDirectories(directory.resolve("volumes").resolve(name));
    Files.setAttribute(volume, "unix:uid", user);
    mounts.put("/var/lib/retso", volume.toString());
    Path own = keys().resolve("member-" + name);
    if (Files.exists(own)) {
      Files.writeString(
          own.resolve("access"), "may application app-*\n", StandardOpenOption.APPEND);
      try (Stream<Path> files = Files.walk(own)) {
        for (Path file : files.toList()) {
          Files.setAttribute(file, "unix:uid", user);
        }
      }
      mounts.put("/etc/retso", own.toString());
    }
    return Map.of(
        "name", name,
        "aliases", List.of(),
        "commands", List.of(command),
        "env", environment(image),
        "directory", image.get("WorkingDir").getAsString(),
        "user", user,
        "mounts", mounts);
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
