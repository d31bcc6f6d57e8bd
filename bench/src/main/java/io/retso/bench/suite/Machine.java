package io.retso.bench.suite;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a benchmark ran on. */
public final class Machine {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private Machine() {}

  /** Processor, memory, system, JVM and load. */
  public static Map<String, Object> facts() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("cpu", cpu());
    facts.put("cores", Runtime.getRuntime().availableProcessors());
    facts.put("memoryBytes", SYSTEM.getTotalMemorySize());
    facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put("architecture", System.getProperty("os.arch"));
    facts.put(
        "jvm",
        System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
    facts.put("jvmOptions", ManagementFactory.getRuntimeMXBean().getInputArguments());
    facts.put("loadAverageBefore", SYSTEM.getSystemLoadAverage());
    return facts;
  }

  /** CPU time that this process used so far, nanoseconds. */
  public static long ownCpuNanos() {
    return SYSTEM.getProcessCpuTime();
  }

  private static String cpu() {
    try {
      return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).trim())
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      return "unknown";
    }
  }
}
