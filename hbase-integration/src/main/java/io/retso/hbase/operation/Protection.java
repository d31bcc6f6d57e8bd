package io.retso.hbase.operation;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Which users may see the cells of a mutation: its ACL and its visibility label. They travel in
 * attributes, of which region servers make tags of each cell. Immutable.
 *
 * @param attributes by their names; not to be changed
 */
public record Protection(Map<String, ByteBuffer> attributes) {
  /** None beyond the rights to the table. */
  public static final Protection NONE = new Protection(Map.of());

  /** As {@link Mutation#setACL} and {@link Mutation#setCellVisibility} name them. */
  private static final Set<String> ATTRIBUTES = Set.of("acl", "VISIBILITY");

  /** That of the cells of a mutation. */
  public static Protection of(Mutation mutation) {
    Map<String, ByteBuffer> found = new HashMap<>();
    for (String name : ATTRIBUTES) {
      byte[] value = mutation.getAttribute(name);
      if (value != null) {
        found.put(name, ByteBuffer.wrap(value.clone()));
      }
    }
    return found.isEmpty() ? NONE : new Protection(Map.copyOf(found));
  }

  static boolean isAttribute(String name) {
    return ATTRIBUTES.contains(name);
  }

  public boolean isNone() {
    return attributes.isEmpty();
  }

  /** Protects all cells of a put in this way. */
  public void protect(Put put) {
    attributes.forEach((name, value) -> put.setAttribute(name, Bytes.toBytes(value)));
  }
}
