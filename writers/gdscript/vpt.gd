extends Node
## Writes a `.vpt` trace of a Godot game while the game runs. Godot 4.2 or later. Licence: Apache-2.0.
##
## This file ran in the web build of Godot 4.6, which has no threads. It has not run in a build with threads.
##
## Copy this file into the project, and add it under Project Settings, Globals, Autoload, with the name `Vpt`. It then records from
## the start of the game to its end, into `user://game.vpt`: each frame with its draw calls, primitives and time on the GPU, counters
## of the engine, and changes of the scene. The game adds what it knows:
## [codeblock]
## Vpt.mark("boss appears")
## var start := Vpt.now()
## find_paths()
## Vpt.span_since(start, "path finding")
## var rock: Texture2D = Vpt.load_resource("res://rock.png", "texture")
## [/codeblock]
## A call copies one small record into memory of a fixed size, and never waits for the disk. A background thread formats the records
## and writes whole lines, at least every 100 ms. If the disk is too slow, the memory becomes full. Then records are dropped and
## counted, and a `loss` record in the trace states the count. In a build without threads (the default for the web), `_process`
## writes the lines, into the browser's memory.
##
## The functions of the second section may be called from any thread. After [method close], or if the file could not be opened, they
## do nothing.
##
## Times and durations are in milliseconds, rounded to microseconds. A time counts from the start of the trace (see [method now]). A
## record with a time or duration that is negative, not a number, or over 285 years is ignored, and so is a counter whose value is not
## finite. Names are cleaned before they are written: they lose user, query and fragment of URLs and the folders of absolute paths, and
## they are cut to 1,024 characters.

## The path of the trace. An existing file is replaced. Empty: nothing is recorded until the game calls [method open].
const AUTO_PATH := "user://game.vpt"
## Whether frames, counters and scenes of the engine are recorded. If not, the game calls [method frame].
const RECORD_ENGINE := true
## The time between two values of a counter of the engine.
const COUNTER_EVERY_MS := 500.0
## Bytes of memory for records that are not written yet. The strings that wait in them may take as much again.
const MEMORY_BYTES := 1048576

const VERSION := "1"
const LONGEST_NAME := 1024
const RECORD_BYTES := 88
const WRITE_EVERY_MS := 50
const FRAMES_PER_LINE := 1000
const LATEST_MS := 9007199254740.0
const LARGEST_COUNT := 9007199254740991
## An absent value of a record.
const NONE := -1

## What an asset may be.
const KINDS: PackedStringArray = ["texture", "mesh", "audio", "shader", "script", "data", "video", "font", "other"]
## What may happen to an asset. `read` is a part of its file that was read; `upload` is its copy to the GPU.
const PHASES: PackedStringArray = ["load", "decode", "upload", "compile", "read", "named"]

enum Type { FRAME, SPAN, MARK, COUNTER, ASSET, RELEASE }


## An asset of the game, as [method register_asset] returns it. If a size becomes known or changes, set it before the next call.
class Asset:
	extends RefCounted
	## The number of the asset in the trace. 0 is no asset: calls with it do nothing.
	var id := 0
	var name := ""
	## An index of KINDS.
	var kind := 0
	## Bytes of the decoded asset in main memory. -1 if unknown.
	var bytes := NONE
	## Bytes of the asset on the GPU. -1 if unknown.
	var gpu_bytes := NONE


## Records in columns of a fixed size. Times and durations are in microseconds. The meaning of a to d depends on the type.
class Records:
	extends RefCounted
	var count := 0
	var text_bytes := 0
	var limit := 0
	var text_limit := 0
	var type := PackedByteArray()
	var time := PackedInt64Array()
	var duration := PackedInt64Array()
	var name := PackedStringArray()
	var text := PackedStringArray()
	var value := PackedFloat64Array()
	var a := PackedInt64Array()
	var b := PackedInt64Array()
	var c := PackedInt64Array()
	var d := PackedInt64Array()

	func _init(bytes: int) -> void:
		@warning_ignore("integer_division")
		limit = bytes / RECORD_BYTES
		text_limit = bytes
		for column: Variant in [type, time, duration, name, text, value, a, b, c, d]:
			column.resize(limit)

	## Returns the index of the new record, or -1 if the memory is full.
	func add(new_type: int, new_time: int, new_duration: int, new_name: String, new_text: String) -> int:
		# A character has four bytes in memory.
		var size := 4 * (new_name.length() + new_text.length())
		if count >= limit or text_bytes + size > text_limit:
			return NONE
		var i := count
		type[i] = new_type
		time[i] = new_time
		duration[i] = new_duration
		name[i] = new_name
		text[i] = new_text
		count += 1
		text_bytes += size
		return i

	## Forgets the records, so that their strings can be freed.
	func clear() -> void:
		for i in count:
			name[i] = ""
			text[i] = ""
		count = 0
		text_bytes = 0


# `_mutex` protects these. The game fills `_filling`, and the thread swaps it with `_writing`.
var _mutex := Mutex.new()
var _filling: Records
var _writing: Records
var _open := false
var _lost := 0
var _lost_before := 0
var _first_lost := 0
var _frame_end := NONE
var _last_frame := NONE
var _assets := 0
var _error := ""

# What is set while no thread runs.
var _started := 0
var _thread: Thread
var _end_reason := "closed"

# What only the thread uses, after the header was written.
var _file: FileAccess
var _lines := PackedStringArray()
var _names := {}
var _written_bytes := 0
var _private: RegEx
var _whole_path: RegEx
var _url_start: RegEx
var _place: RegEx
var _secret_part: RegEx

# What only `_process` uses.
var _viewport := RID()
var _scene_id := 0
var _next_counters := 0.0
var _next_write := 0.0


# ---- Start and end. ----


func _enter_tree() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS
	process_priority = -1000000
	if AUTO_PATH != "":
		open(AUTO_PATH)


## The tree is left when the game quits. A request to close the window is not the end, because the game may refuse it.
func _exit_tree() -> void:
	close()


func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE:
		close()
	elif what == NOTIFICATION_APPLICATION_RESUMED:
		skip_frame()


## Creates the file, or replaces it, and writes the header. Returns whether records are accepted. If not, [method get_error] states why.
## Call it on the main thread. It closes an open trace first.
func open(path: String) -> bool:
	close()
	_error = ""
	_file = FileAccess.open(path, FileAccess.WRITE)
	if _file == null:
		_error = "Cannot write %s: %s" % [path, error_string(FileAccess.get_open_error())]
		return false
	@warning_ignore("integer_division")
	var half := MEMORY_BYTES / 2
	_filling = Records.new(half)
	_writing = Records.new(half)
	_lost = 0
	_lost_before = 0
	_frame_end = NONE
	_last_frame = NONE
	_assets = 0
	_written_bytes = 0
	_scene_id = 0
	_next_counters = 0.0
	_next_write = 0.0
	_compile_patterns()
	_started = Time.get_ticks_usec()
	_append_header()
	if not _write_lines():
		_file = null
		return false
	if RECORD_ENGINE and is_inside_tree():
		_viewport = get_viewport().get_viewport_rid()
		RenderingServer.viewport_set_measure_render_time(_viewport, true)
	_open = true
	_thread = null
	if not OS.has_feature("nothreads"):
		_thread = Thread.new()
		if _thread.start(_write_until_closed) != OK:
			_thread = null
	return true


## Writes what is pending and the `end` record, and closes the file. Waits until the disk has accepted them. A second call does nothing.
## [param reason] states why the trace ends, in lower-case words.
func close(reason := "closed") -> void:
	_mutex.lock()
	var was_open := _open
	if was_open:
		_end_reason = reason if reason != "" else "closed"
	_open = false
	_mutex.unlock()
	if _thread != null:
		_thread.wait_to_finish()
		_thread = null
	elif was_open:
		_write_batch(true)
	_file = null


# ---- The calls of the game. ----


## Milliseconds since the start of the trace, by the monotonic clock.
func now() -> float:
	return _now_us() / 1000.0


## True while records are accepted: the file is open, no write failed, and [method close] was not called.
func is_open() -> bool:
	_mutex.lock()
	var result := _open
	_mutex.unlock()
	return result


## Why the file could not be opened or written. Empty if there was no failure. Before Godot 4.4 a failed write is not reported.
func get_error() -> String:
	_mutex.lock()
	var result := _error
	_mutex.unlock()
	return result


## The number of records that were dropped because the memory was full.
func get_lost() -> int:
	_mutex.lock()
	var result := _lost_before + _lost
	_mutex.unlock()
	return result


## A frame was presented: it lasts from the previous call to this one. The first call writes nothing. `_process` calls it, unless
## RECORD_ENGINE is false. [param gpu_ms] is the time that the GPU worked for the frame, [param main_ms] the time that the main thread
## worked without waiting. A value is -1 if it is unknown.
func frame(gpu_ms := -1.0, main_ms := -1.0, draws := NONE, triangles := NONE) -> void:
	_mutex.lock()
	if _open:
		var us := _now_us()
		var start := _last_frame
		_last_frame = us
		if start != NONE:
			_add_frame(start, us - start, gpu_ms, main_ms, draws, triangles)
	_mutex.unlock()


## Starts the next frame now, without a frame before it. Call it when the game continues after a pause.
func skip_frame() -> void:
	_mutex.lock()
	_last_frame = _now_us()
	_mutex.unlock()


## A frame of a known duration ends now. It begins when the previous frame ended, unless that was more than 2 ms and more than half of
## its duration earlier: then there was a pause between them. Frames never overlap. For the other values see [method frame].
func frame_with(duration_ms: float, gpu_ms := -1.0, main_ms := -1.0, draws := NONE, triangles := NONE) -> void:
	var duration := _to_us(duration_ms)
	if duration == NONE:
		return
	_mutex.lock()
	_add_frame(_now_us() - duration, duration, gpu_ms, main_ms, draws, triangles)
	_mutex.unlock()


## A part of the game with a name, from [param start_ms] (see [method now]) until now: a level, a load, a part of the frame. Spans of one
## name belong together. [param track] is the row in which views show the span. `loading` is for loads, `gc` for garbage collection.
func span_since(start_ms: float, span_name: String, track := "") -> void:
	span(span_name, start_ms, now() - start_ms, track)


## A span of which start and duration are known. See [method span_since].
func span(span_name: String, start_ms: float, duration_ms: float, track := "") -> void:
	var start := _to_us(start_ms)
	var duration := _to_us(duration_ms)
	if start == NONE or duration == NONE:
		return
	_mutex.lock()
	_add(Type.SPAN, start, duration, span_name, track)
	_mutex.unlock()


## A point in time with a name, now: a checkpoint, a wave of enemies, a save.
func mark(mark_name: String) -> void:
	_mutex.lock()
	_add(Type.MARK, _now_us(), NONE, mark_name, "")
	_mutex.unlock()


## The value of a counter, now. [param unit] is `bytes`, `ms`, `count`, `percent`, or another. Reserved names: `gpu_bytes` is the GPU
## memory of all assets, `io_read_bytes` the bytes read from storage. A value that is not finite is ignored.
func counter(counter_name: String, unit: String, value: float) -> void:
	if not is_finite(value):
		return
	_mutex.lock()
	var i := _add(Type.COUNTER, _now_us(), NONE, counter_name, unit)
	if i != NONE:
		_filling.value[i] = value
	_mutex.unlock()


## Names an asset. [param kind] is one of KINDS. [param bytes] is its size in main memory, [param gpu_bytes] on the GPU; -1 if unknown.
## Its phases follow with [method asset_phase]. The asset has the id 0 if the trace is closed or the kind is not in KINDS.
func register_asset(asset_name: String, kind: String, bytes := NONE, gpu_bytes := NONE) -> Asset:
	var asset := Asset.new()
	asset.name = asset_name
	asset.kind = KINDS.find(kind)
	asset.bytes = bytes
	asset.gpu_bytes = gpu_bytes
	if asset.kind == NONE:
		return asset
	_mutex.lock()
	if _open:
		_assets += 1
		asset.id = _assets
		_add_asset(Type.ASSET, asset, "named", _now_us(), NONE, NONE)
	_mutex.unlock()
	return asset


## Work on an asset. [param phase] is one of PHASES. [param main_thread_ms] is the part of the duration in which it blocked the frame: 0 if
## another thread did it, -1 if unknown. The record has the sizes of the asset that are known.
func asset_phase(asset: Asset, phase: String, start_ms: float, duration_ms: float, main_thread_ms := -1.0) -> void:
	var start := _to_us(start_ms)
	var duration := _to_us(duration_ms)
	if asset == null or asset.id <= 0 or start == NONE or duration == NONE or PHASES.find(phase) == NONE:
		return
	_mutex.lock()
	_add_asset(Type.ASSET, asset, phase, start, duration, _to_us(main_thread_ms))
	_mutex.unlock()


## The memory of an asset was freed now. The sizes that the asset has become 0 in the trace. Call it for every asset with a size or for
## none: a trace with some releases lists the other assets as never released.
func release_asset(asset: Asset) -> void:
	if asset == null or asset.id <= 0:
		return
	_mutex.lock()
	_add_asset(Type.RELEASE, asset, "", _now_us(), NONE, NONE)
	_mutex.unlock()


## Loads a resource as `load` does, and records how long that took and whether it blocked the main thread.
func load_resource(path: String, kind := "other") -> Resource:
	var start := now()
	var resource := load(path)
	var duration := now() - start
	var on_main := OS.get_thread_caller_id() == OS.get_main_thread_id()
	asset_phase(register_asset(path, kind), "load", start, duration, duration if on_main else 0.0)
	return resource


# ---- What is recorded of the engine. ----


func _process(_delta: float) -> void:
	if not _open:
		return
	if RECORD_ENGINE:
		_record_engine()
	if _thread == null and now() >= _next_write:
		_next_write = now() + WRITE_EVERY_MS
		_write_batch(false)


func _record_engine() -> void:
	# A time that was not measured is 0. The renderer reads the GPU's clock late, so the time is that of a frame shortly before.
	var gpu := RenderingServer.viewport_get_measured_render_time_gpu(_viewport)
	frame(
		gpu if gpu > 0.0 else -1.0,
		-1.0,
		int(Performance.get_monitor(Performance.RENDER_TOTAL_DRAW_CALLS_IN_FRAME)),
		int(Performance.get_monitor(Performance.RENDER_TOTAL_PRIMITIVES_IN_FRAME))
	)
	var scene := get_tree().current_scene
	var scene_id := 0 if scene == null else scene.get_instance_id()
	if scene_id != _scene_id:
		_scene_id = scene_id
		if scene != null:
			var path := scene.scene_file_path
			mark("scene: " + (path if path != "" else String(scene.name)))
	if now() >= _next_counters:
		_next_counters = now() + COUNTER_EVERY_MS
		_record_counters()


func _record_counters() -> void:
	var cpu := RenderingServer.viewport_get_measured_render_time_cpu(_viewport) + RenderingServer.get_frame_setup_time_cpu()
	counter("rendering on the CPU", "ms", cpu)
	counter("process", "ms", Performance.get_monitor(Performance.TIME_PROCESS) * 1000.0)
	counter("physics process", "ms", Performance.get_monitor(Performance.TIME_PHYSICS_PROCESS) * 1000.0)
	counter("objects", "count", Performance.get_monitor(Performance.OBJECT_COUNT))
	counter("nodes", "count", Performance.get_monitor(Performance.OBJECT_NODE_COUNT))
	counter("video memory", "bytes", Performance.get_monitor(Performance.RENDER_VIDEO_MEM_USED))
	counter("texture memory", "bytes", Performance.get_monitor(Performance.RENDER_TEXTURE_MEM_USED))
	# Release builds do not measure it.
	var memory := Performance.get_monitor(Performance.MEMORY_STATIC)
	if memory > 0.0:
		counter("static memory", "bytes", memory)


# ---- Records. The caller holds the mutex. ----


func _now_us() -> int:
	return Time.get_ticks_usec() - _started


func _to_us(ms: float) -> int:
	return roundi(ms * 1000.0) if ms >= 0.0 and ms <= LATEST_MS else NONE


## Returns the index of the new record, or -1 if there is none.
func _add(type: int, time: int, duration: int, record_name: String, text: String) -> int:
	if not _open:
		return NONE
	if record_name.length() > LONGEST_NAME:
		record_name = record_name.left(LONGEST_NAME)
	if text.length() > LONGEST_NAME:
		text = text.left(LONGEST_NAME)
	var i := _filling.add(type, time, duration, record_name, text)
	if i == NONE:
		if _lost == 0:
			_first_lost = _now_us()
		_lost += 1
	return i


func _add_frame(start: int, duration: int, gpu_ms: float, main_ms: float, draws: int, triangles: int) -> void:
	@warning_ignore("integer_division")
	var gap := maxi(2000, duration / 2)
	if _frame_end != NONE and start != _frame_end and start - _frame_end <= gap:
		start = _frame_end
	start = maxi(0, start)
	if start > LATEST_MS * 1000.0:
		return
	_frame_end = start + duration
	_set_numbers(_add(Type.FRAME, start, duration, "", ""), _to_us(gpu_ms), _to_us(main_ms), draws, triangles)


func _add_asset(type: int, asset: Asset, phase: String, time: int, duration: int, main_thread: int) -> void:
	var i := _add(type, time, duration, asset.name, phase)
	if i != NONE:
		_filling.value[i] = asset.kind
	_set_numbers(i, asset.id, asset.bytes, asset.gpu_bytes, main_thread)


func _set_numbers(i: int, a: int, b: int, c: int, d: int) -> void:
	if i == NONE:
		return
	_filling.a[i] = a
	_filling.b[i] = b
	_filling.c[i] = c
	_filling.d[i] = d


# ---- The thread: it formats records and writes lines. ----


func _write_until_closed() -> void:
	while _write_batch(false):
		OS.delay_msec(WRITE_EVERY_MS)


## Writes the records that wait, and after [method close] the end. Returns whether the trace continues.
func _write_batch(ended: bool) -> bool:
	_mutex.lock()
	ended = ended or not _open
	var filled := _filling
	_filling = _writing
	_writing = filled
	var lost := _lost
	var first_lost := _first_lost
	_lost_before += _lost
	_lost = 0
	_mutex.unlock()
	_append_records()
	if lost > 0:
		_lines.append('{"type":"loss","t":%s,"reason":"buffer_full","count":%d}' % [_ms(first_lost), lost])
	if ended:
		_lines.append('{"type":"end","t":%s,"reason":%s}' % [_ms(_now_us()), _quote(_end_reason)])
	return _write_lines() and not ended


func _append_header() -> void:
	var unix := Time.get_unix_time_from_system()
	var started_at := "%s.%03dZ" % [Time.get_datetime_string_from_unix_time(int(unix)), int(unix * 1000.0) % 1000]
	var gpu := RenderingServer.get_video_adapter_name()
	var gpu_text := ""
	if gpu != "":
		gpu_text = ',"gpu":{"name":%s,"software":%s}' % [_quote(gpu), "true" if _is_software(gpu) else "false"]
	_lines.append(
		'{"vpt":1,"producer":{"name":"vpt.gd","version":"%s"},"started_at":"%s","sources":["native"]%s,"machine":{"cores":%d}}'
		% [VERSION, started_at, gpu_text, OS.get_processor_count()]
	)


func _append_records() -> void:
	var frames := PackedInt32Array()
	for i in _writing.count:
		if _writing.type[i] == Type.FRAME:
			frames.append(i)
		else:
			_append_record(i)
	var first := 0
	while first < frames.size():
		first = _append_frames(frames, first)
	_writing.clear()


func _append_record(i: int) -> void:
	var start := _ms(_writing.time[i])
	var record_name := _quote(_writing.name[i])
	match _writing.type[i]:
		Type.SPAN:
			var track := _writing.text[i]
			var track_text := "" if track == "" else ',"track":' + _quote(track)
			_lines.append('{"type":"span","t":%s,"duration_ms":%s,"name":%s%s}' % [start, _ms(_writing.duration[i]), record_name, track_text])
		Type.MARK:
			_lines.append('{"type":"mark","t":%s,"name":%s}' % [start, record_name])
		Type.COUNTER:
			var unit := _quote(_writing.text[i])
			_lines.append('{"type":"counter","t":%s,"name":%s,"unit":%s,"value":%s}' % [start, record_name, unit, _number(_writing.value[i])])
		Type.RELEASE:
			var sizes := (',"bytes":0' if _writing.b[i] >= 0 else "") + (',"gpu_bytes":0' if _writing.c[i] >= 0 else "")
			_lines.append('{"type":"release","t":%s,"id":%d%s}' % [start, _writing.a[i], sizes])
		Type.ASSET:
			var values := _count_text("bytes", _writing.b[i]) + _count_text("gpu_bytes", _writing.c[i])
			values += _ms_text("duration_ms", _writing.duration[i]) + _ms_text("main_thread_ms", _writing.d[i])
			var kind := KINDS[int(_writing.value[i])]
			_lines.append(
				'{"type":"asset","t":%s,"id":%d,"name":%s,"kind":"%s","phase":"%s"%s}'
				% [start, _writing.a[i], record_name, kind, _writing.text[i], values]
			)


## Appends one line with the frames from [param first] on that follow each other without a gap. Returns the index of the next frame.
func _append_frames(frames: PackedInt32Array, first: int) -> int:
	var durations := PackedStringArray()
	var next := first
	var end := _writing.time[frames[first]]
	while next < frames.size() and next - first < FRAMES_PER_LINE and _writing.time[frames[next]] == end:
		end += _writing.duration[frames[next]]
		durations.append(_ms(_writing.duration[frames[next]]))
		next += 1
	var line := '{"type":"frames","t":%s,"duration_ms":[%s]' % [_ms(_writing.time[frames[first]]), ",".join(durations)]
	line += _column("draws", _writing.c, frames, first, next, false)
	line += _column("triangles", _writing.d, frames, first, next, false)
	line += _column("gpu_ms", _writing.a, frames, first, next, true)
	line += _column("main_ms", _writing.b, frames, first, next, true)
	_lines.append(line + "}")
	return next


## A column of frames. Empty if no frame has a value.
func _column(key: String, values: PackedInt64Array, frames: PackedInt32Array, first: int, end: int, is_time: bool) -> String:
	var texts := PackedStringArray()
	var any := false
	for i in range(first, end):
		var value := values[frames[i]]
		var known := value >= 0 and value <= LARGEST_COUNT
		any = any or known
		texts.append(("null" if not known else _ms(value)) if is_time or not known else str(value))
	return ',"%s":[%s]' % [key, ",".join(texts)] if any else ""


func _count_text(key: String, value: int) -> String:
	return ',"%s":%d' % [key, value] if value >= 0 and value <= LARGEST_COUNT else ""


func _ms_text(key: String, us: int) -> String:
	return ',"%s":%s' % [key, _ms(us)] if us >= 0 else ""


## Microseconds as milliseconds: 1500 is `1.500`.
func _ms(us: int) -> String:
	@warning_ignore("integer_division")
	return "%d.%03d" % [us / 1000, us % 1000] if us % 1000 != 0 else str(us / 1000)


## A text that is read as the same number.
func _number(value: float) -> String:
	if value == floorf(value) and absf(value) <= LARGEST_COUNT:
		return str(int(value))
	var text := JSON.stringify(value, "", true, true)
	return text if text.to_float() == value else var_to_str(value)


## Writes the lines, and empties them. Returns whether that was possible. If not, the trace ends.
func _write_lines() -> bool:
	if _lines.is_empty():
		return true
	var bytes := ("\n".join(_lines) + "\n").to_utf8_buffer()
	_lines.clear()
	# Before Godot 4.4 the call returns nothing.
	var stored: Variant = _file.call("store_buffer", bytes)
	_file.flush()
	if stored != false and _file.get_error() == OK:
		_written_bytes += bytes.size()
		return true
	_mutex.lock()
	_open = false
	_error = "The disk did not accept the trace."
	_mutex.unlock()
	# Removes the part of a line that the write left.
	if _file.has_method("resize"):
		_file.call("resize", _written_bytes)
	return false


# ---- Names. ----


## A cleaned name as a JSON string. Short names are kept, because a game uses the same ones again.
func _quote(raw: String) -> String:
	if _names.has(raw):
		return _names[raw]
	var quoted := _escape(_clean(raw))
	if raw.length() <= 128:
		if _names.size() >= 1024:
			_names.clear()
		_names[raw] = quoted
	return quoted


## The patterns of section 2.5 of docs/vpt.md, as in packages/trace/src/vpt/clean-name.ts.
func _compile_patterns() -> void:
	if _private != null:
		return
	var url_text := "(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*://[^\\s\"'()<>]*"
	var data_url := "data:[^\\s\"'()<>\\\\]*"
	var unix_path := "(?<![^\\s\"'(),;=:@|<>\\[\\]{}])~?/[^\\s\"'(),;|<>\\[\\]{}]*"
	var windows_path := "(?<![a-z0-9])[a-z]:[\\\\/][^\\s\"'(),;|<>\\[\\]{}]*|\\\\\\\\[^\\s\"'(),;|<>\\[\\]{}]+"
	_private = RegEx.create_from_string("(?i)" + "|".join([url_text, data_url, unix_path, windows_path]))
	_whole_path = RegEx.create_from_string("(?i)^(?:~?/|[a-z]:[\\\\/]|\\\\\\\\)")
	_url_start = RegEx.create_from_string("(?i)^[a-z][a-z0-9+.-]*://")
	_place = RegEx.create_from_string("(:[0-9]+){1,2}\\z")
	_secret_part = RegEx.create_from_string("(?i)^([a-z][a-z0-9+.-]*://)[^/]*@|/\\.(?:release|preview|content)/[^/]+")


func _clean(raw: String) -> String:
	if _whole_path.search(raw) != null:
		return _last_part(raw)
	var result := ""
	var from := 0
	for found in _private.search_all(raw):
		result += raw.substr(from, found.get_start() - from) + _clean_token(found.get_string())
		from = found.get_end()
	return result + raw.substr(from)


func _clean_token(token: String) -> String:
	if token.to_lower().begins_with("data:"):
		return _cut_at(token, ",", ";")
	if _url_start.search(token) == null:
		return _last_part(token)
	var url := _cut_at(token, "?", "#")
	if url.length() < token.length():
		var place := _place.search(token)
		if place != null:
			url += place.get_string()
	if url.to_lower().begins_with("file:"):
		return _last_part(url)
	return _secret_part.sub(url, "$1", true)


func _cut_at(text: String, one: String, other: String) -> String:
	return text.get_slice(one, 0).get_slice(other, 0)


func _last_part(path: String) -> String:
	var parts := path.replace("\\", "/").split("/", false)
	for i in range(parts.size() - 1, -1, -1):
		if parts[i] != "~":
			return parts[i]
	return "/"


## A JSON string. `String.json_escape` is not used, because its escape of a vertical tab is no JSON.
func _escape(text: String) -> String:
	var quoted := '"'
	for i in text.length():
		var code := text.unicode_at(i)
		if code == 0x22 or code == 0x5c:
			quoted += "\\" + char(code)
		elif code < 0x20:
			quoted += "\\u%04x" % code
		elif code >= 0xd800 and code <= 0xdfff:
			quoted += "\ufffd"
		else:
			quoted += char(code)
	return quoted + '"'


func _is_software(gpu: String) -> bool:
	for part: String in ["llvmpipe", "lavapipe", "softpipe", "swiftshader", "swrast", "basic render"]:
		if gpu.to_lower().contains(part):
			return true
	return false
