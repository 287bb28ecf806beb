// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#include "CWebPages.h"

// Clang embeds files in every version of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char shared_base_css[] = {
#embed "shared/base.css"
};
static const unsigned char shared_dom_js[] = {
#embed "shared/dom.js"
};
static const unsigned char shared_format_js[] = {
#embed "shared/format.js"
};
static const unsigned char wall_api_js[] = {
#embed "wall/api.js"
};
static const unsigned char wall_causes_js[] = {
#embed "wall/causes.js"
};
static const unsigned char wall_controls_js[] = {
#embed "wall/controls.js"
};
static const unsigned char wall_drawer_js[] = {
#embed "wall/drawer.js"
};
static const unsigned char wall_filters_js[] = {
#embed "wall/filters.js"
};
static const unsigned char wall_glyphs_js[] = {
#embed "wall/glyphs.js"
};
static const unsigned char wall_grid_js[] = {
#embed "wall/grid.js"
};
static const unsigned char wall_index_html[] = {
#embed "wall/index.html"
};
static const unsigned char wall_main_js[] = {
#embed "wall/main.js"
};
static const unsigned char wall_model_js[] = {
#embed "wall/model.js"
};
static const unsigned char wall_phone_css[] = {
#embed "wall/phone.css"
};
static const unsigned char wall_phone_js[] = {
#embed "wall/phone.js"
};
static const unsigned char wall_push_js[] = {
#embed "wall/push.js"
};
static const unsigned char wall_stream_js[] = {
#embed "wall/stream.js"
};
static const unsigned char wall_strings_js[] = {
#embed "wall/strings.js"
};
static const unsigned char wall_ticker_js[] = {
#embed "wall/ticker.js"
};
static const unsigned char wall_wall_css[] = {
#embed "wall/wall.css"
};
static const unsigned char console_activities_js[] = {
#embed "console/activities.js"
};
static const unsigned char console_api_js[] = {
#embed "console/api.js"
};
static const unsigned char console_campaigns_js[] = {
#embed "console/campaigns.js"
};
static const unsigned char console_console_css[] = {
#embed "console/console.css"
};
static const unsigned char console_devices_js[] = {
#embed "console/devices.js"
};
static const unsigned char console_events_js[] = {
#embed "console/events.js"
};
static const unsigned char console_health_js[] = {
#embed "console/health.js"
};
static const unsigned char console_index_html[] = {
#embed "console/index.html"
};
static const unsigned char console_jobs_js[] = {
#embed "console/jobs.js"
};
static const unsigned char console_keys_js[] = {
#embed "console/keys.js"
};
static const unsigned char console_main_js[] = {
#embed "console/main.js"
};
static const unsigned char console_notifications_js[] = {
#embed "console/notifications.js"
};
static const unsigned char console_overview_js[] = {
#embed "console/overview.js"
};
static const unsigned char console_pages_js[] = {
#embed "console/pages.js"
};
static const unsigned char console_router_js[] = {
#embed "console/router.js"
};
static const unsigned char console_send_js[] = {
#embed "console/send.js"
};
static const unsigned char console_strings_js[] = {
#embed "console/strings.js"
};
static const unsigned char console_topics_js[] = {
#embed "console/topics.js"
};
static const unsigned char console_ui_js[] = {
#embed "console/ui.js"
};
static const unsigned char console_webhooks_js[] = {
#embed "console/webhooks.js"
};
static const unsigned char console_why_js[] = {
#embed "console/why.js"
};

#define FILE(name, type, bytes) { name, type "; charset=utf-8", bytes, sizeof bytes }
#define PAGE(name, bytes) FILE(name, "text/html", bytes)
#define SCRIPT(name, bytes) FILE(name, "text/javascript", bytes)
#define STYLE(name, bytes) FILE(name, "text/css", bytes)

// Each page has the shared files below its own path.
static const apus_page_file files[] = {
    SCRIPT("wall/api.js", wall_api_js),
    STYLE("wall/base.css", shared_base_css),
    SCRIPT("wall/causes.js", wall_causes_js),
    SCRIPT("wall/controls.js", wall_controls_js),
    SCRIPT("wall/dom.js", shared_dom_js),
    SCRIPT("wall/drawer.js", wall_drawer_js),
    SCRIPT("wall/filters.js", wall_filters_js),
    SCRIPT("wall/format.js", shared_format_js),
    SCRIPT("wall/glyphs.js", wall_glyphs_js),
    SCRIPT("wall/grid.js", wall_grid_js),
    PAGE("wall/index.html", wall_index_html),
    SCRIPT("wall/main.js", wall_main_js),
    SCRIPT("wall/model.js", wall_model_js),
    STYLE("wall/phone.css", wall_phone_css),
    SCRIPT("wall/phone.js", wall_phone_js),
    SCRIPT("wall/push.js", wall_push_js),
    SCRIPT("wall/stream.js", wall_stream_js),
    SCRIPT("wall/strings.js", wall_strings_js),
    SCRIPT("wall/ticker.js", wall_ticker_js),
    STYLE("wall/wall.css", wall_wall_css),
    SCRIPT("console/activities.js", console_activities_js),
    SCRIPT("console/api.js", console_api_js),
    STYLE("console/base.css", shared_base_css),
    SCRIPT("console/campaigns.js", console_campaigns_js),
    STYLE("console/console.css", console_console_css),
    SCRIPT("console/devices.js", console_devices_js),
    SCRIPT("console/dom.js", shared_dom_js),
    SCRIPT("console/events.js", console_events_js),
    SCRIPT("console/format.js", shared_format_js),
    SCRIPT("console/health.js", console_health_js),
    PAGE("console/index.html", console_index_html),
    SCRIPT("console/jobs.js", console_jobs_js),
    SCRIPT("console/keys.js", console_keys_js),
    SCRIPT("console/main.js", console_main_js),
    SCRIPT("console/notifications.js", console_notifications_js),
    SCRIPT("console/overview.js", console_overview_js),
    SCRIPT("console/pages.js", console_pages_js),
    SCRIPT("console/router.js", console_router_js),
    SCRIPT("console/send.js", console_send_js),
    SCRIPT("console/strings.js", console_strings_js),
    SCRIPT("console/topics.js", console_topics_js),
    SCRIPT("console/ui.js", console_ui_js),
    SCRIPT("console/webhooks.js", console_webhooks_js),
    SCRIPT("console/why.js", console_why_js),
};

const apus_page_file *apus_page_files(void) { return files; }

size_t apus_page_file_count(void) { return sizeof files / sizeof files[0]; }
