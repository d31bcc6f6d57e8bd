package io.retso.edited;

import java.net.URL;
import java.net.URLClassLoader;
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
