package io.retso.hbase.coprocessor;

import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.Store;

/** What only tests want of the coprocessor of a region, whatever loader it is of. */
final class InsideRegion {
  private InsideRegion() {}

  /** What a test does at some point. */
  interface Step {
    void run() throws IOException;
  }

  /** The coprocessor's part of the region. */
  static Object region(HRegion region) throws ReflectiveOperationException {
    String name = TransactionRegionObserver.class.getName();
    return call(region.getCoprocessorHost().findCoprocessor(name), "region");
  }

  static Object call(Object of, String method) throws ReflectiveOperationException {
    Method found = of.getClass().getDeclaredMethod(method);
    found.setAccessible(true);
    return found.invoke(of);
  }

  /** Cleanups of rows see a region that does something behind each of their reads. */
  static void replaceRegionOfCleaner(HRegion region, Step behindRead)
      throws ReflectiveOperationException {
    Object cleaner = field(call(region(region), "writes"), "cleaner");
    Field field = cleaner.getClass().getDeclaredField("region");
    field.setAccessible(true);
    field.set(
        cleaner,
        proxy(Region.class, region, "getScanner", scanner -> closing(scanner, behindRead)));
  }

  /** Readers see stores that do something behind each look at their files. */
  static void replaceStoresOfReaders(HRegion region, Step behindLook)
      throws ReflectiveOperationException {
    Object outcomes = call(region(region), "outcomes");
    Field field = outcomes.getClass().getDeclaredField("stores");
    field.setAccessible(true);
    List<Store> stores = new ArrayList<>(region.getStores());
    stores.removeIf(store -> PendingWrite.isFamily(store.getColumnFamilyDescriptor().getName()));
    Change look =
        files -> {
          behindLook.run();
          return files;
        };
    stores.replaceAll(store -> (Store) proxy(Store.class, store, "getStorefiles", look));
    field.set(outcomes, stores.toArray(Store[]::new));
  }

  private static Object closing(Object scanner, Step behind) {
    return proxy(
        RegionScanner.class,
        scanner,
        "close",
        none -> {
          behind.run();
          return none;
        });
  }

  private interface Change {
    Object of(Object result) throws IOException;
  }

  /** One that does what {@code of} does, but for the result of a method. */
  private static Object proxy(Class<?> type, Object of, String method, Change change) {
    return Proxy.newProxyInstance(
        InsideRegion.class.getClassLoader(),
        new Class<?>[] {type},
        (proxy, called, arguments) -> {
          try {
            Object result = called.invoke(of, arguments);
            return called.getName().equals(method) ? change.of(result) : result;
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }

  private static Object field(Object of, String name) throws ReflectiveOperationException {
    Field field = of.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field.get(of);
  }
}
