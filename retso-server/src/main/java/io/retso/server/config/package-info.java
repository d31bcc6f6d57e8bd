/**
 * What can be set, and what it costs: {@link io.retso.server.config.Settings} is the one table of
 * settings, from which flags, the properties file, the help and the documentation are made. {@link
 * io.retso.server.config.ServerConfig} is a checked choice of all of them, {@link
 * io.retso.server.config.MemoryPlan} the memory that it needs.
 *
 * <p>This package knows no other one of the server: a setting is checked here, and used elsewhere.
 */
package io.retso.server.config;
