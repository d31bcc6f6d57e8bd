package io.retso.hbase.trace;

/** Whether OpenTelemetry is on the class path. Code that names its types runs only if so. */
final class Library {
  static final boolean IS_PRESENT = isPresent();

  private Library() {}

  private static boolean isPresent() {
    try {
      Class.forName("io.opentelemetry.api.trace.Tracer", false, Library.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }
}
