package io.retso.edited;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Loads the classes of some packages anew, from places of which the first has the edited ones; all
 * others are shared with this process. Assertions are on.
 */
public final class EditedClasses extends URLClassLoader {
  private final Predicate<String> isOurs;

  /**
   * Makes a loader.
   *
   * @param isOurs whether the class of that name is loaded anew
   * @param places directories and jars, in the order in which they are searched
   */
  public EditedClasses(Predicate<String> isOurs, List<URL> places) {
    super(places.toArray(URL[]::new), EditedClasses.class.getClassLoader());
    this.isOurs = isOurs;
    setDefaultAssertionStatus(true);
  }

  /**
   * All classes of the project anew.
   *
   * @param edited the directory with the edited ones
   * @param samples one class of each place that has others
   */
  public static EditedClasses of(Path edited, Class<?>... samples) throws IOException {
    List<URL> places = new ArrayList<>(List.of(edited.toUri().toURL()));
    for (Class<?> sample : samples) {
      places.add(placeOf(sample));
    }
    return new EditedClasses(name -> name.startsWith("io.retso."), places);
  }

  /**
   * Makes an object of a class that is loaded anew, by its constructor without parameters.
   *
   * @param shared of this process, what the class is known by here
   */
  public <T> T make(Class<? extends T> type, Class<T> shared) throws ReflectiveOperationException {
    Constructor<?> constructor = loadClass(type.getName()).getDeclaredConstructor();
    constructor.setAccessible(true);
    return shared.cast(constructor.newInstance());
  }

  /** Where a class of this process was loaded from. */
  public static URL placeOf(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded == null && isOurs.test(name)) {
        loaded = findClass(name);
      }
      return loaded == null ? super.loadClass(name, resolve) : loaded;
    }
  }
}
