package io.retso.machine;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a benchmark ran on. */
public final class Machine {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int STEAL = 8;
  private static final long TICK_NANOS = 10_000_000;

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

  /** CPU time that this thread used so far, nanoseconds. */
  public static long threadCpuNanos() {
    return THREADS.getCurrentThreadCpuTime();
  }

  /**
   * Time for which other guests of the hardware had the processors that this machine could have
   * used, so far, over all cores, nanoseconds; 0 if the system does not report it.
   */
  public static long stolenNanos() {
    try {
      // cpu user nice system idle iowait irq softirq steal ..., in hundredths of a second
      String[] columns = Files.readAllLines(Path.of("/proc/stat")).get(0).trim().split(" +");
      return columns.length > STEAL ? Long.parseLong(columns[STEAL]) * TICK_NANOS : 0;
    } catch (IOException e) {
      return 0;
    }
  }

  /** Bytes of memory that new processes can have without swapping; all of it if unknown. */
  public static long availableBytes() {
    try {
      return Files.readAllLines(Path.of("/proc/meminfo")).stream()
          .filter(line -> line.startsWith("MemAvailable:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
          .findFirst()
          .orElse(SYSTEM.getTotalMemorySize());
    } catch (IOException e) {
      return SYSTEM.getTotalMemorySize();
    }
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
