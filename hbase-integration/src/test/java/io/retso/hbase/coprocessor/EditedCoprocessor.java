package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.Refusal;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The coprocessor with one edit in a source file, as a jar, and tests of its packages that are run
 * on it. The edited file is compiled, all else is as it was built. Region servers load the jar for
 * the tables of such a test, as they do in production; other tables keep the classes of this
 * process.
 *
 * <p>So the classes in production need no seams for bugs. The edited text must be there once: who
 * changes it learns here that the evidence needs a new look.
 */
final class EditedCoprocessor implements AutoCloseable {
  private static final Path SOURCES = Path.of("src/main/java");
  private static final String PACKAGE = "io/retso/hbase/";
  private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

  /** Knows the class path of this process, and keeps its jars open: for one compilation a time. */
  private static final StandardJavaFileManager FILES = files();

  /** First from the jar and the tests beside it: everything else is shared with this process. */
  private static final class Loader extends URLClassLoader {
    Loader(URL... places) {
      super(places, EditedCoprocessor.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        if (loaded == null && isOurs(name)) {
          loaded = findClass(name);
        }
        return loaded == null ? super.loadClass(name, resolve) : loaded;
      }
    }

    private static boolean isOurs(String name) {
      return name.startsWith("io.retso.hbase.coprocessor.")
          || name.startsWith("io.retso.hbase.resolve.")
          || name.startsWith("io.retso.hbase.layout.");
    }
  }

  private final Loader loader;

  /**
   * Compiles.
   *
   * @param directory empty; sources, classes and jar go there
   * @param file of the coprocessor or the classes that it shares with clients, under {@code
   *     io.retso.hbase}
   */
  EditedCoprocessor(Path directory, String file, String text, String instead) throws IOException {
    String source = Files.readString(SOURCES.resolve(PACKAGE + file));
    assertEquals(2, source.split(Pattern.quote(text), -1).length, text);
    Path edited = directory.resolve("sources").resolve(PACKAGE + file);
    Files.createDirectories(edited.getParent());
    Files.writeString(edited, source.replace(text, instead));
    Path classes = directory.resolve("classes");
    Path built = Path.of(placeOf(TransactionRegionObserver.class));
    for (String part : List.of("coprocessor", "resolve", "layout")) {
      copy(built.resolve(PACKAGE + part), classes.resolve(PACKAGE + part));
    }
    compile(edited, classes);
    Path jar = directory.resolve("coprocessor.jar");
    pack(classes, jar);
    this.loader = new Loader(jar.toUri().toURL(), placeOf(getClass()).toURL());
  }

  private static StandardJavaFileManager files() {
    StandardJavaFileManager files = COMPILER.getStandardFileManager(null, null, null);
    String[] classPath = System.getProperty("java.class.path").split(File.pathSeparator);
    try {
      files.setLocationFromPaths(
          StandardLocation.CLASS_PATH, Stream.of(classPath).map(Path::of).toList());
      return files;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static URI placeOf(Class<?> type) {
    return URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString());
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path copy = to.resolve(from.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
    }
  }

  /** Its classes take the place of those that are there. */
  private static void compile(Path source, Path classes) throws IOException {
    StringWriter messages = new StringWriter();
    FILES.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(classes));
    boolean done =
        COMPILER
            .getTask(
                messages,
                FILES,
                null,
                List.of("-proc:none", "-nowarn"),
                null,
                FILES.getJavaFileObjects(source))
            .call();
    assertTrue(done, messages::toString);
  }

  private static void pack(Path classes, Path jar) throws IOException {
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out);
        Stream<Path> all = Files.walk(classes)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        entries.putNextEntry(new JarEntry(classes.relativize(file).toString()));
        Files.copy(file, entries);
      }
    }
  }

  /**
   * Runs one test method of one of the packages; one with a parameter is given 1, 2, ... as seeds.
   *
   * @return how it failed, a refusal where none is due included, or null if it passed
   * @throws ReflectiveOperationException if it did not get as far as to judge
   */
  Throwable run(Class<?> test, String method, RetsoCluster cluster)
      throws ReflectiveOperationException {
    Class<?> type = Class.forName(test.getName(), true, loader);
    Constructor<?> constructor = type.getDeclaredConstructor();
    constructor.setAccessible(true);
    Object instance = constructor.newInstance();
    callAll(BeforeEach.class, instance, cluster);
    try {
      for (Method each : type.getDeclaredMethods()) {
        if (each.getName().equals(method)) {
          return judge(each, instance);
        }
      }
      throw new NoSuchMethodException(type + "." + method);
    } finally {
      callAll(AfterEach.class, instance, cluster);
    }
  }

  private static Throwable judge(Method method, Object instance)
      throws ReflectiveOperationException {
    method.setAccessible(true);
    try {
      if (method.getParameterCount() == 0) {
        method.invoke(instance);
      } else {
        for (long seed = 1; seed <= 10_000; seed++) {
          method.invoke(instance, seed);
        }
      }
      return null;
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof AssertionError || Refusal.of(e.getCause()) != null) {
        return e.getCause();
      }
      throw e;
    }
  }

  private static void callAll(
      Class<? extends Annotation> annotation, Object instance, RetsoCluster cluster)
      throws ReflectiveOperationException {
    for (Method method : instance.getClass().getDeclaredMethods()) {
      if (method.isAnnotationPresent(annotation)) {
        method.setAccessible(true);
        Object[] none = {};
        method.invoke(instance, method.getParameterCount() == 0 ? none : new Object[] {cluster});
      }
    }
  }

  @Override
  public void close() throws IOException {
    loader.close();
  }
}
